#!/bin/sh
# A bare Debian 12 in a folder, to try nix/setup.sh on. It has this machine's network and its clients' configuration,
# and mount and PID namespaces of its own: when CMD ends, everything that CMD started ends too.
#
#   sh tests/setup/bare.sh FOLDER CMD...     as root; makes the machine first if FOLDER isn't there
#
# The first machine costs a debootstrap, kept as FOLDER's sibling `base`; each further one is a copy of it.
# Needs debootstrap. To start over, remove FOLDER. Standard input, output and exit status are CMD's.
set -eu

if [ $# -lt 2 ] || [ "$(id -u)" != 0 ]; then
    echo "usage, as root: sh tests/setup/bare.sh FOLDER CMD..." >&2
    exit 2
fi
folder=$1
shift
base=$(dirname "$folder")/base

# apt's own view of where Debian's main archive is: no address stands in this file.
# shellcheck disable=SC2016 # apt-get expands it
mirror() {
    apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Release: bookworm' 'Component: main' | head -n 1
}

# What root's clients are told on this machine: the sources, the certificates, the proxies.
configure() {
    for path in /etc/apt/sources.list /etc/apt/sources.list.d /etc/apt/apt.conf.d /etc/resolv.conf /etc/hosts \
        /etc/pip.conf /etc/npmrc /usr/local/share/ca-certificates /etc/ssl/certs/ca-certificates.crt; do
        rm -rf "$1$path"
        [ -e "$path" ] || continue
        mkdir -p "$1$(dirname "$path")"
        cp -RL "$path" "$1$path"
    done
}

if [ ! -d "$folder" ]; then
    if [ ! -d "$base" ]; then
        echo "bare: making $base with debootstrap" >&2
        rm -rf "$base.part"
        mkdir -p "$base.part"
        debootstrap --variant=minbase bookworm "$base.part" "$(mirror)" >&2
        configure "$base.part"
        mv "$base.part" "$base"
    fi
    echo "bare: copying $base to $folder" >&2
    cp -a --reflink=auto "$base" "$folder.part"
    mv "$folder.part" "$folder"
fi

# pivot_root, not chroot: the kernel makes no user namespace for a process in a chroot.
# The shell stays as PID 1, so that CMD is an ordinary process to which signals do what they always do.
# shellcheck disable=SC2016 # expanded by the inner shell
exec unshare --mount --pid --fork --kill-child --propagation private sh -euc '
    mount --bind "$1" "$1"
    cd "$1"
    shift
    mount --rbind /sys sys
    mount --rbind /dev dev
    mount -t proc proc proc
    pivot_root . .
    umount -l .
    cd /root
    export HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
    "$@" || exit $?
    exit 0
' bare "$folder" "$@"
