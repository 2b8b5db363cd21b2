"""How images stand in an export: in it, or by name."""

from typing import Final, Literal, get_args

from harness.report.conversation import Picture

# data: as data URLs. digest: as sha256:HEX; the bytes are in the run folder.
Images = Literal["data", "digest"]
IMAGES: Final[tuple[str, ...]] = get_args(Images)


def address(picture: Picture, images: Images) -> str:
    """What stands for an image."""
    return picture.url if images == "data" else f"sha256:{picture.sha256}"
