"""The installer of a bundle: the script beside this module, and before it what stands in the bundle."""

import importlib.resources

from harness.store.bundle.contents import Contents

_FIRST = "#!/bin/sh\n"


def installer(contents: Contents) -> bytes:
    """The script. All that is put into it are store paths, whose form was checked, and numbers."""
    script = (importlib.resources.files("harness.store.bundle") / "install.sh").read_text()
    paths = "".join(f"{each.path} {each.nar_size}\n" for each in contents.paths)
    facts = [
        f"harness='{contents.harness}'",
        f"flake='{contents.source}'",
        f"pins='{contents.pins or ''}'",
        f"data='{'yes' if contents.data else ''}'",
        "# Each store path with the bytes that it takes.",
        f"paths='{paths}'",
        "",
    ]
    return (_FIRST + "\n".join(facts) + script.removeprefix(_FIRST)).encode()
