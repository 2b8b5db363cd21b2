#!/bin/sh
# Runs CMD as user hermetic on a host whose programs are gone, all but nix, newuidmap and newgidmap: what the harness
# needs beside those three comes out of the pins, or CMD fails.
#
#   sh tests/setup/hidden.sh FOLDER CMD...     as root, after nix/setup.sh has made the machine ready; CMD runs in FOLDER
#
# Give Nix the flake as path:. (for a git checkout it would call git). In a mount namespace of its own: the host stays as it is.
set -eu

if [ $# -lt 2 ] || [ "$(id -u)" != 0 ]; then
    echo "usage, as root: sh tests/setup/hidden.sh FOLDER CMD..." >&2
    exit 2
fi

# shellcheck disable=SC2016 # expanded by the inner shell
exec unshare --mount --propagation private sh -euc '
    kept=$(mktemp -d)
    mount -t tmpfs -o mode=755 kept "$kept"
    mkdir "$kept/bin" "$kept/libexec" "$kept/empty"
    # Part of nix: it starts a helper of its own there.
    [ ! -d /usr/libexec/nix ] || cp -a /usr/libexec/nix "$kept/libexec/"
    for program in nix newuidmap newgidmap; do
        cp -pL "$(command -v $program)" "$kept/bin/"
    done
    # Not for CMD: the last step to it, gone once CMD runs.
    cp -pL "$(command -v setpriv)" "$kept/last-step"
    cd "$1"
    shift
    exec 9<"$kept/last-step"
    for folder in /usr/sbin /usr/local/bin /usr/local/sbin /usr/games /opt; do
        [ ! -d "$folder" ] || mount --bind "$kept/empty" "$folder"
    done
    export HOME=/var/lib/hermetic USER=hermetic LOGNAME=hermetic PATH=/usr/bin
    [ ! -d /usr/libexec ] || mount --bind "$kept/libexec" /usr/libexec
    mount --bind "$kept/bin" /usr/bin
    exec /proc/self/fd/9 --reuid hermetic --regid hermetic --init-groups --inh-caps=-all "$@"
' hidden "$@"
