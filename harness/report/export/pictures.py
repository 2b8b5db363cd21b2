"""How images stand in an export: in it, or by name."""

from collections.abc import Callable
from typing import Final, Literal, TypeAlias, get_args

from harness.report.conversation import Picture
from harness.store.blobs import Blobs

# data: as data URLs. digest: as sha256:HEX, where the run folder has a blob of that name.
Images = Literal["data", "digest"]
IMAGES: Final[tuple[str, ...]] = get_args(Images)

# Gives what stands for an image.
Address: TypeAlias = Callable[[Picture], str]


def addresses(images: Images, blobs: Blobs) -> Address:
    """What stands for each image. Small ones that a tool returned have no blob, and stand there themselves."""

    def address(picture: Picture) -> str:
        if images == "data" or not blobs.has(picture.sha256):
            return picture.url
        return f"sha256:{picture.sha256}"

    return address
