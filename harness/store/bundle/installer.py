"""The installer of a bundle: the parts of ``script/``, one after the other, and before them what is in the bundle."""

import importlib.resources

from harness.store.bundle.contents import Contents


def installer(contents: Contents) -> bytes:
    """The script. All that is put into it are store paths, whose form was checked, and numbers."""
    folder = importlib.resources.files("harness.store.bundle") / "script"
    parts = sorted((part.name, part.read_text()) for part in folder.iterdir() if part.name.endswith(".sh"))
    paths = "".join(f"{each.path} {each.nar_size}\n" for each in contents.paths)
    facts = [
        "#!/bin/sh",
        f"harness='{contents.harness}'",
        f"flake='{contents.source}'",
        f"pins='{contents.pins or ''}'",
        f"data='{'yes' if contents.data else ''}'",
        "# Each store path with the bytes that it takes.",
        f"paths='{paths}'",
    ]
    return "\n".join([*facts, *(text for _, text in parts)]).encode()
