#!/usr/bin/env bash
# In the machine: the harness out of media alone (no network). The first time everything is built, later what has changed.
set -euo pipefail
rm -rf ~/source
cp -r /in/source ~/source
cd ~/source
echo "== $(uname -sr), $(. /etc/os-release; echo "$PRETTY_NAME"), $(systemctl --version | head -1), cgroup $(cat /proc/self/cgroup)"
[ ! -d /in/media ] || { echo "== pins/fetch --from"; time python3 -B pins/fetch --from /in/media; }
echo "== nix build"
time sh nix/setup.sh nix --extra-experimental-features 'nix-command flakes' build --no-warn-dirty --out-link ~/harness .#harness
ls -l ~/harness/
