"""The documents' commands that ``tests/integration/test_commands.py`` does not run: who does, or why nobody can."""

from typing import Final

import attrs


@attrs.frozen
class Elsewhere:
    """A command that ``file`` runs, which holds each of ``marks``: the command's own words unless it says others."""

    text: str
    file: str
    marks: tuple[str, ...] = ()


@attrs.frozen
class Parsed:
    """A command of ours that needs what no test has: its names and options are held against the command line's."""

    text: str
    reason: str


@attrs.frozen
class Foreign:
    """A line of the shell, or of programs that are not ours."""

    text: str
    reason: str


_AIRGAP: Final = "tests/integration/test_airgap.py"
_NODES: Final = "tests/integration/test_nodes.py"
_OWN: Final = "tests/integration/test_own.py"
_REPRODUCE: Final = "tests/integration/test_reproduce.py"
_SLURM: Final = "tests/integration/test_slurm.py"
_DATA: Final = "tests/cli/test_data.py"
_UNPACKED: Final = ("bundle.unpacked(", '"sh"')  # it unpacks by tar, as `tests/integration/bundles.py` shows
_SIGNING: Final = ("## Signing", "documented()")  # it takes the lines out of the page

ELSEWHERE: Final = (
    Elsewhere("sh nix/setup.sh nix run .#tests", ".ci/run", ("sh nix/setup.sh nix run .#tests",)),
    Elsewhere("sh nix/setup.sh nix flake check", "nix/apps.nix", ("flake check",)),
    Elsewhere(
        "sh nix/setup.sh nix run .#tests -- tests/speed/overhead.py -s", "tests/speed/overhead.py", ("def test",)
    ),
    Elsewhere("sh nix/setup.sh nix run .#tests -- tests/speed/report.py -s", "tests/speed/report.py", ("def test",)),
    Elsewhere('python -m pytest -m "not integration"', "nix/checks.nix", ("-m 'not integration'",)),
    Elsewhere(
        "ruff check . && ruff format --check . && mypy && lint-imports",
        "nix/checks.nix",
        ("ruff check", "ruff format --check", "mypy", "lint-imports"),
    ),
    Elsewhere(
        "shellcheck -x nix/setup.sh tests/setup/bare.sh harness/store/bundle/script/*.sh",
        "tests/setup/test_setup_sh.py",
        ("shellcheck", "bare.sh"),
    ),
    Elsewhere("harness bundle harness.tar", "tests/integration/bundles.py"),
    Elsewhere("harness bundle --squashfs /shared/harness", _NODES),
    Elsewhere("tar -xf harness.tar && sh hermetic-harness/install", _AIRGAP, _UNPACKED),
    Elsewhere(
        "sh hermetic-harness/install [--to DIR] [--data-dir DIR]", "tests/run/reproduce/test_bundles.py", ("--to",)
    ),
    Elsewhere("~/.local/bin/harness doctor", _AIRGAP, ('harness, "doctor"',)),
    Elsewhere("~/.local/bin/harness eval babyvision --demo --limit 1 --run one", _AIRGAP),
    Elsewhere("~/.local/bin/harness eval babyvision --demo --limit 1 --run R", _AIRGAP),
    Elsewhere("/shared/harness doctor", _NODES),
    Elsewhere("/shared/harness eval babyvision --demo --limit 1 --run R", _NODES),
    Elsewhere("harness doctor", "tests/integration/test_doctor.py"),
    Elsewhere("harness doctor --run R", "tests/integration/test_doctor.py"),
    Elsewhere("harness doctor --sandbox", "tests/integration/test_selftest.py"),
    Elsewhere("harness doctor --sandbox --json", "tests/integration/test_selftest.py"),
    Elsewhere("harness data add FILE", _DATA),
    Elsewhere("harness data status", _DATA),
    Elsewhere("harness data check", _DATA),
    Elsewhere("harness data check FILE", _DATA),
    Elsewhere(
        "BABYVISION_ZIP=/root/babyvision_data.zip sh nix/setup.sh nix run . -- data add",
        "tests/setup/test_inbox.py",
        ("BABYVISION_ZIP",),
    ),
    Elsewhere("harness rescore RUN --judge live --judge-repeats 5", "tests/integration/test_rescore.py"),
    Elsewhere("harness diff R R --scorer 1f0c --scorer 77ab", "tests/cli/test_diff.py", ('"--scorer"',)),
    Elsewhere("harness reproduce ARCHIVE --bundle harness.tar", "tests/run/reproduce/test_bundles.py", ("--to",)),
    Elsewhere("harness reproduce ARCHIVE", _REPRODUCE),
    Elsewhere("harness reproduce twelve.oci", _REPRODUCE),
    Elsewhere("harness reproduce r.tar", _REPRODUCE),
    Elsewhere("harness reproduce r.tar --to DIR --jobs 8 --json", _REPRODUCE),
    Elsewhere("harness eval babyvision --demo --limit 2 --run R", "tests/integration/test_archive.py"),
    Elsewhere("harness eval examples/sums.py --demo --run sums", _OWN),
    Elsewhere("harness rescore sums --benchmark examples/sums.py", _OWN),
    Elsewhere("harness reproduce sums.oci --benchmark examples/sums.py", _OWN),
    Elsewhere("sh nix/setup.sh nix run .#python -- examples/ten_lines.py two", _OWN, ("ten_lines.py",)),
    Elsewhere("harness slurm submit babyvision --run /shared/R --shards 200 --slots 32", _SLURM),
    Elsewhere("harness slurm submit babyvision --config site.toml --run /shared/R --shards 200 --slots 32", _SLURM),
    Elsewhere(
        "harness slurm submit babyvision --config site.toml --run /shared/R --shards 200 --slots 32 --print",
        "tests/cli/test_slurm.py",
    ),
    Elsewhere("harness slurm preflight --config site.toml --run /shared/R", _SLURM),
    Elsewhere("harness slurm status /shared/R", _SLURM),
    Elsewhere(
        "mkdir /var/tmp/slurm && HARNESS_SLURM=result python3 -m tests.integration.slurm_cluster /var/tmp/slurm",
        _SLURM,
        ("slurm_cluster", "HARNESS_SLURM"),
    ),
    Elsewhere("cp S/provenance.json r.json", _REPRODUCE, _SIGNING),
    Elsewhere("ssh-keygen -Y sign -f key -n hermetic-harness r.json", _REPRODUCE, _SIGNING),
    Elsewhere('echo "me@example.org $(cat key.pub)" > signers', _REPRODUCE, _SIGNING),
    Elsewhere(
        "ssh-keygen -Y verify -f signers -I me@example.org -n hermetic-harness -s r.json.sig < R2/provenance.json",
        _REPRODUCE,
        _SIGNING,
    ),
    Elsewhere("pins/fetch", "tests/pins/test_fetch.py", ("fetch",)),
    Elsewhere("pins/fetch --to DIR", "tests/pins/test_fetch.py", ('"--to"',)),
    Elsewhere("pins/fetch --from DIR", "tests/pins/test_fetch_from.py", ('"--from"',)),
    Elsewhere(
        "skopeo copy --preserve-digests oci-archive:r.tar docker://REGISTRY/runs:babyvision",
        "tests/integration/test_archive.py",
    ),
    Elsewhere("skopeo inspect --raw docker://REGISTRY/runs:babyvision", "tests/integration/test_archive.py"),
    Elsewhere(
        "skopeo copy --preserve-digests docker://REGISTRY/runs:babyvision oci-archive:back.tar:babyvision",
        "tests/integration/test_archive.py",
    ),
    Elsewhere("harness import back.tar R2", "tests/integration/test_archive.py"),
)

_ENDPOINT: Final = "a real endpoint and its key"
_ELSEWHERE: Final = "fetches from a host of somebody else's"

PARSED: Final = (
    Parsed(
        "harness eval babyvision --run real --jobs 4 --policy-base-url https://HOST/v1 --policy-model NAME "
        "--judge-base-url https://JUDGE/v1 --judge-model NAME",
        _ENDPOINT,
    ),
    Parsed("harness eval babyvision --run R", _ENDPOINT),
    Parsed(
        "harness eval babyvision --demo --policy-base-url http://HOST:8000/v1 --policy-model NAME --run mine", _ENDPOINT
    ),
    Parsed("harness eval babyvision --capture-tokens --temperature 1.0 --repeats 8 --jobs 4 --run R", _ENDPOINT),
    Parsed("harness data fetch", _ELSEWHERE),
    Parsed("harness data fetch --url URL", _ELSEWHERE),
    Parsed("harness reproduce r.tar --bundle harness-0.1.tar", "a harness other than the one under test"),
    Parsed("/shared/harness slurm submit babyvision --run /shared/R --shards 200", "nodes without /nix in a cluster"),
)

_SHELL: Final = "the shell's own"
_REGISTRY: Final = "no client of ours or of the tests"
_BARE: Final = "takes a whole CI run on a machine made by debootstrap"
_INSTALLED: Final = "needs an installed bundle with pins; the harness is no part of it"

FOREIGN: Final = (
    Foreign("sh nix/setup.sh nix run .#screenshots -- twelve pictures", "makes pictures for people to look at"),
    Foreign("alias h='sh nix/setup.sh nix run . --'", _SHELL),
    Foreign("export POLICY_API_KEY=... JUDGE_API_KEY=...", _SHELL),
    Foreign("export POLICY_BASE_URL=http://HOST:8000/v1 POLICY_MODEL=NAME POLICY_API_KEY=...", _SHELL),
    Foreign("export JUDGE_BASE_URL=https://api.openai.com/v1 OPENAI_API_KEY=...", _SHELL),
    Foreign("sha256sum harness.tar", _SHELL),
    Foreign("mkdir -p /var/cache/hermetic-pins && cp -r DIR/. /var/cache/hermetic-pins/", _SHELL),
    Foreign('export NIX_CONFIG="$(cat ~/.local/state/hermetic/source-*/nix/setup/nix.conf)"', _INSTALLED),
    Foreign("nix build path:$(readlink ~/.local/state/hermetic/source-*)#harness --no-link --rebuild", _INSTALLED),
    Foreign(
        "sh nix/setup.sh nix path-info -Sh .#harness .#runtime .#sandbox-rootfs .#sandbox-image .#browser .#pins",
        "Nix's own; the sizes are those of one build",
    ),
    Foreign("pins/update", "asks package registries anew; tests/pins/test_resolving.py has its parts"),
    Foreign("git clone . /var/tmp/bare/m1/root/source", _BARE),
    Foreign("sh tests/setup/bare.sh /var/tmp/bare/m1 sh -c 'cd source && sh .ci/run'", _BARE),
    Foreign("oras cp --from-oci-layout r:@sha256:DIGEST REGISTRY/runs:babyvision", _REGISTRY),
    Foreign("oras pull REGISTRY/runs:babyvision", _REGISTRY),
)
