#!/usr/bin/env bash
# The harness on Debian 13, from media alone: install, doctor, two rollouts, a memory limit, SIGKILL. Not part of CI.
#
# usage: debian13.sh STATE MEDIA        MEDIA: what `pins/fetch --to` made. As root; see machine.sh. The first call takes
#                                       an hour or more under emulation; what was installed stays in STATE.
set -euo pipefail
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
state=$1 media=$(readlink -f "$2")
mkdir -p "$state/given"
rm -rf "$state/given/source" "$state/given/media"
git clone -q --depth 1 "file://$(git -C "$here" rev-parse --show-toplevel)" "$state/given/source"
folders=("$state/given/source")
if [ ! -e "$state/installed" ]; then
    cp -rL "$media" "$state/given/media"
    folders+=("$state/given/media")
fi
"$here/machine.sh" "$state" "$here/install.sh" "${folders[@]}"
touch "$state/installed"
"$here/machine.sh" "$state" "$here/show.sh"
