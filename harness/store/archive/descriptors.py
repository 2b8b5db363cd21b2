"""The OCI half of an archive: the artifact's manifest and the index that names it, as JSON (image-spec 1.1)."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

import attrs

from harness.errors import CanonicalError
from harness.store.archive import names
from harness.store.canonical import JSON, dumps, escape_all, loads_strict, unescape_all
from harness.store.digests import Digest, digest, parse_digest
from harness.store.fields import Fields, mapping

# Our own types. Clients carry them as they are; a layer of one of OCI's own types they may compress on the way.
# The first version had no provenance.
ARTIFACT: Final = "application/vnd.hermetic-harness.run.v2"
ARTIFACT_V1: Final = "application/vnd.hermetic-harness.run.v1"
FILES: Final = "application/vnd.hermetic-harness.files.v1.tar"
BLOB: Final = "application/vnd.hermetic-harness.blob.v1"
STATEMENT: Final = "application/vnd.in-toto+json"  # what in-toto calls a statement

MANIFEST: Final = "application/vnd.oci.image.manifest.v1+json"
INDEX: Final = "application/vnd.oci.image.index.v1+json"
EMPTY: Final = "application/vnd.oci.empty.v1+json"
CONFIG: Final = b"{}"  # what an artifact without a configuration has (image-spec, "guidance for an empty descriptor")
LAYOUT: Final[Mapping[str, JSON]] = {"imageLayoutVersion": "1.0.0"}

# Registries need not take a larger manifest (distribution-spec, "pushing manifests").
MANIFEST_MAX: Final = 4 * 2**20

RECORDS_TAR: Final = "records.tar"
BLOBS_TAR: Final = "blobs.tar"
PROVENANCE: Final = "provenance.json"

_TITLE: Final = "org.opencontainers.image.title"
_OWN: Final = "vnd.hermetic-harness."


@attrs.frozen
class Layer:
    """One layer; ``title`` is the name under which clients such as oras write it."""

    media_type: str
    digest: Digest
    size: int
    title: str

    @classmethod
    def blob(cls, name: Digest, size: int) -> "Layer":
        """A blob of the run, as it is."""
        return cls(BLOB, name, size, names.blob(name))


@attrs.frozen
class Facts:
    """What a person sees of a run in a registry."""

    benchmark: str
    model: str
    manifest: Digest  # the run's identity
    content: Digest  # the run's content digest
    rollouts: int  # that count


@attrs.frozen
class Artifact:
    """A run's archive: its facts, and the layers in their order."""

    facts: Facts
    layers: tuple[Layer, ...]

    @property
    def stated(self) -> bool:
        """Whether its provenance is in it."""
        return any(layer.media_type == STATEMENT for layer in self.layers)

    @property
    def kind(self) -> str:
        """Its type, which has the version."""
        return ARTIFACT if self.stated else ARTIFACT_V1

    def to_bytes(self) -> bytes:
        """The artifact's manifest."""
        return dumps(
            {
                "schemaVersion": 2,
                "mediaType": MANIFEST,
                "artifactType": self.kind,
                "config": _descriptor(EMPTY, digest(CONFIG), len(CONFIG)),
                "layers": [
                    {**_descriptor(layer.media_type, layer.digest, layer.size), "annotations": {_TITLE: layer.title}}
                    for layer in self.layers
                ],
                "annotations": _annotations(self.facts),
            }
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> "Artifact":
        """Read a manifest; raises CanonicalError for any that `to_bytes` doesn't write."""
        value = loads_strict(data)
        kind = value.get("artifactType") if isinstance(value, Mapping) else None
        if not isinstance(value, Mapping) or kind not in (ARTIFACT, ARTIFACT_V1):
            raise CanonicalError(f"It holds no run that is known here: its artifact type is {kind!r}, not {ARTIFACT}.")
        fields = Fields(value, "the manifest")
        artifact = cls(_facts(fields.any("annotations")), fields.items("layers", _layer))
        _check_order(artifact.layers)
        if artifact.to_bytes() != data:
            raise CanonicalError("It is not as this version of the harness writes it.")
        return artifact


def index(manifest: bytes, kind: str = ARTIFACT) -> bytes:
    """The index.json that names the manifest of one artifact of this type."""
    described = {**_descriptor(MANIFEST, digest(manifest), len(manifest)), "artifactType": kind}
    return dumps({"schemaVersion": 2, "mediaType": INDEX, "manifests": [described]})


def read_index(data: bytes) -> tuple[Digest, int]:
    """Digest and size of the one manifest that an index names.

    Clients write the index anew, without the types and with a tag; raises CanonicalError for anything beyond that.
    """
    fields = _rest(loads_strict(data), "index.json", {"schemaVersion": (2,), "mediaType": (INDEX,)})
    manifests = fields.items("manifests", lambda value: value)
    fields.end()
    if len(manifests) != 1:
        raise CanonicalError(f"It names {len(manifests)} manifests. Copy the run's own into an archive of its own.")
    kinds = (ARTIFACT, ARTIFACT_V1)
    fields = _rest(manifests[0], "a descriptor", {"mediaType": (MANIFEST,), "artifactType": kinds})
    found = _digest(fields.text("digest")), fields.integer("size")
    fields.end()
    return found


def check_layout(data: bytes) -> None:
    """The file oci-layout; raises CanonicalError for another version."""
    if loads_strict(data) != LAYOUT:
        raise CanonicalError(f"It is no OCI image layout of version {LAYOUT['imageLayoutVersion']}.")


def _rest(value: JSON, where: str, fixed: Mapping[str, Sequence[JSON]]) -> Fields:
    """An object without annotations and the ``fixed`` fields, which have one of these values where they are there."""
    rest = dict(mapping(value))
    rest.pop("annotations", None)
    for name, expected in fixed.items():
        if rest.pop(name, expected[0]) not in expected:
            raise CanonicalError(f"The field {name!r} of {where} must be {expected[0]!r}.")
    return Fields(rest, where)


def _descriptor(media_type: str, name: Digest, size: int) -> dict[str, JSON]:
    return {"mediaType": media_type, "digest": f"sha256:{name}", "size": size}


def _digest(text: str) -> Digest:
    return parse_digest(text.removeprefix("sha256:"))


def _annotations(facts: Facts) -> JSON:
    value = attrs.asdict(facts)
    return escape_all({_OWN + name: str(item) for name, item in value.items()})


def _facts(value: JSON) -> Facts:
    fields = Fields(unescape_all(value), "annotations")
    rollouts = fields.text(_OWN + "rollouts")
    if re.fullmatch(r"[0-9]{1,9}", rollouts) is None:
        raise CanonicalError(f"The annotation {_OWN}rollouts must be a number.")
    facts = Facts(
        benchmark=fields.text(_OWN + "benchmark"),
        model=fields.text(_OWN + "model"),
        manifest=fields.digest(_OWN + "manifest"),
        content=fields.digest(_OWN + "content"),
        rollouts=int(rollouts),
    )
    fields.end()
    return facts


def _layer(value: JSON) -> Layer:
    fields = Fields(value, "a layer")
    titles = Fields(fields.any("annotations"), "a layer's annotations")
    return Layer(fields.text("mediaType"), _digest(fields.text("digest")), fields.integer("size"), titles.text(_TITLE))


def _check_order(layers: tuple[Layer, ...]) -> None:
    """The records, the small blobs, the provenance, and then the large blobs by digest, each once."""
    tars = [layer for layer in layers if layer.media_type == FILES]
    blobs = sorted({layer.digest for layer in layers if layer.media_type == BLOB})
    titles = [RECORDS_TAR, BLOBS_TAR][: max(1, len(tars))]
    titles += [PROVENANCE for layer in layers if layer.media_type == STATEMENT][:1]
    titles += [names.blob(name) for name in blobs]
    if [layer.title for layer in layers] != titles or len({layer.digest for layer in layers}) != len(layers):
        raise CanonicalError("Its layers are not those of a run.")
