#!/bin/sh
# Makes this machine ready (as root: packages, an unprivileged user, its Nix store, the pinned files) and runs CMD there.
#
# As root CMD runs as user `hermetic` on a copy of this source tree (the tracked files as they stand), from its top folder;
# what CMD makes there comes back to this checkout. Not as root nothing is changed: CMD runs right here, or it is said what
# is missing. Exit status: CMD's; 2 for no CMD; 4 where the machine lacks something.
# shellcheck source-path=SCRIPTDIR
set -eu

usage() {
    echo "usage: sh nix/setup.sh CMD...    makes the machine ready and runs CMD on this source tree" >&2
    echo "for example: sh nix/setup.sh nix run .#eval -- babyvision --demo --run R" >&2
    exit 2
}

case ${1--} in
    -*) usage ;;
esac
tree=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
# shellcheck source=setup/common.sh
. "$tree/nix/setup/common.sh"
# shellcheck source=setup/check.sh
. "$tree/nix/setup/check.sh"
# shellcheck source=setup/host.sh
. "$tree/nix/setup/host.sh"
# shellcheck source=setup/pins.sh
. "$tree/nix/setup/pins.sh"

if [ "$(id -u)" != 0 ]; then
    check
    cd "$tree"
    exec "$@"
fi

umask 022
packages
make_account
account_path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
case :$account_path: in
    *":$nix_bin:"*) ;;
    *) account_path=$nix_bin:$account_path ;;
esac
check_namespaces
give_fuse
give_store
configure_nix
give_pins
# In this process, so that a signal to it is a signal to what looks after CMD.
exec "$python" -I -B "$tree/nix/setup/handover" "$account" "$account_path" "$@"
