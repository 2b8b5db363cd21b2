#!/bin/sh
# The harness and all that it needs in one file, for machines without /nix: run it as if it were the command `harness`.
#
# Behind this text stand a tar of a few programs and a squashfs image. The programs are unpacked once beside the harness's
# other scratch files; then this process enters a user and mount namespace of its own, puts the image on /nix there, and
# becomes the harness. The process id stays the same.
set -eu

harness=@HARNESS@
size=@SIZE@
block=@BLOCK@
tools_first=@TOOLS_FIRST@
tools_blocks=@TOOLS_BLOCKS@
tools_name=@TOOLS_NAME@
tools_files=@TOOLS_FILES@
image_first=@IMAGE_FIRST@
least_ids=2000

missing=
# usage: lacks WHAT TO-DO
lacks() {
    missing="$missing
harness: $1
  -> $2"
}

unfit() {
    printf '%s\n' "${missing#?}" >&2
    exit 4
}

# usage: range FILE: the largest range that it gives this user.
range() {
    first=0 count=0
    if [ -r "$1" ]; then
        while IFS=: read -r who start length || [ -n "$who" ]; do
            if [ "$who" = "$user" ] || [ "$who" = "$uid" ]; then
                [ "$length" -gt "$count" ] 2>/dev/null && first=$start count=$length
            fi
        done <"$1"
    fi
    [ "$count" -ge "$least_ids" ] ||
        lacks "$1 gives user $user no range of at least $least_ids ids." \
            "As root, with ids that nobody else has: echo $user:100000:65536 >> $1"
}

case $0 in
    /*) image=$0 ;;
    *) image=$PWD/$0 ;;
esac
absent=
for each in chmod dd id ls mkdir mv rm sha256sum sync tar wc; do
    command -v "$each" >/dev/null || absent="$absent $each"
done
if [ -n "$absent" ]; then
    lacks "There is no$absent on PATH." "Set PATH, such as PATH=/usr/bin:/bin"
    unfit
fi
uid=$(id -u)
me=$uid
user=$(id -un 2>/dev/null) || user=$uid

# Root, of the host or of a namespace, needs no newuidmap to mount something.
namespace='--mount'
if [ "$uid" != 0 ]; then
    for helper in newuidmap newgidmap; do
        command -v "$helper" >/dev/null || lacks "There is no $helper on PATH." "As root: apt-get install uidmap"
    done
    range /etc/subuid
    namespace="--user --map-root-user --map-users=$first,1,$count"
    range /etc/subgid
    namespace="$namespace --map-groups=$first,1,$count --mount"
fi

if [ ! -e /dev/fuse ]; then
    lacks "There is no /dev/fuse, by which the image is mounted." "As root: modprobe fuse"
elif ! (: <>/dev/fuse) 2>/dev/null; then
    lacks "/dev/fuse can't be opened by user $user." "As root: chmod 666 /dev/fuse (udev's own default)"
fi

there=$(wc -c <"$image") || there=0
[ "$there" -eq "$size" ] ||
    lacks "$image has $there bytes, but should have $size: it was not copied whole." "Copy it again."

parent=${HARNESS_STATE_DIR:-}
if [ -z "$parent" ]; then
    parent=/var/tmp
    [ -w "$parent" ] || parent=${TMPDIR:-/tmp}
fi
case $parent in
    /*) ;;
    *) parent=$PWD/$parent ;;
esac
namespaces="newuidmap and newgidmap must be setuid root on a file system that is not mounted nosuid, the kernel must allow \
user and mount namespaces, and the scratch folder must not be mounted noexec (HARNESS_STATE_DIR names another)."
elsewhere="Set HARNESS_STATE_DIR to a folder on this machine's own disk, with a path of under 35 bytes."

[ -z "$missing" ] || unfit

# The user's uid on the host, as the harness names its own folder there; root of a namespace is somebody else outside.
if [ "$uid" = 0 ]; then
    while read -r inside outside _; do
        [ "$inside" != 0 ] || uid=$outside
    done </proc/self/uid_map
fi
scratch=$parent/hermetic-$uid
tools=$scratch/$tools_name

# usage: owned FOLDER: whether it is one, no link to one, and nobody else's. That is one look: between two, another user
# could put something else in its place. Root may change what is another's, so that chmod succeeds says nothing.
owned() {
    # shellcheck disable=SC2046 # a list of words
    set -- $(ls -ldn "$1" 2>/dev/null)
    case ${1:-none} in
        d*) [ "$3" = "$me" ] ;;
        *) return 1 ;;
    esac
}

count() {
    echo $#
}

# Something that tidies up /var/tmp may have taken a file.
whole() {
    owned "$tools" && [ "$(count "$tools"/bin/* "$tools"/lib/*)" -eq "$tools_files" ]
}

programs() {
    dd if="$image" bs="$block" skip="$tools_first" count="$tools_blocks" 2>/dev/null
}

case $scratch in
    *[:\;,\$\\]* | *[[:space:]]*)
        lacks "$scratch holds other signs than letters, digits and /._+@=~-." "$elsewhere"
        unfit ;;
esac
if ! mkdir -p -m 711 "$scratch" 2>/dev/null || ! owned "$scratch" || ! chmod 711 "$scratch" 2>/dev/null; then
    lacks "$scratch can't be made, or is not a folder of user $user." "$elsewhere"
    unfit
fi
if ! whole; then
    case $(programs | sha256sum) in
        "${tools_name#node-}"*) ;;
        *)
            lacks "$image was changed: its programs are not those that it was made with." "Copy it again."
            unfit ;;
    esac
    fresh=$scratch/.$tools_name-$$
    trap 'rm -rf "$fresh"' EXIT
    trap 'exit 130' HUP INT QUIT TERM
    rm -rf "$fresh"
    mkdir -m 711 "$fresh"
    programs | (umask 022 && exec tar -xmf - -C "$fresh") || {
        lacks "$fresh can't be filled." "Make room, or: $elsewhere"
        unfit
    }
    chmod 755 "$fresh"/bin "$fresh"/lib "$fresh"/bin/* "$fresh"/lib/*
    sync "$fresh"/bin/* "$fresh"/lib/* 2>/dev/null || sync
    # Another one that starts at this moment may be first; what lacks a file goes.
    mv -T "$fresh" "$tools" 2>/dev/null || whole ||
        { mv -T "$tools" "$fresh/before" && mv -T "$fresh" "$tools" && rm -rf "$tools/before"; } 2>/dev/null || whole || {
        lacks "$tools can't be made." "Remove what is there, or: $elsewhere"
        unfit
    }
    rm -rf "$fresh"
    trap - EXIT HUP INT QUIT TERM
fi

# Nothing of the host is loaded into what follows.
unset LD_LIBRARY_PATH LD_PRELOAD LD_AUDIT
loader=$tools/lib/ld-linux-x86-64.so.2
# shellcheck disable=SC2086 # a list of words
said=$("$loader" --library-path "$tools/lib" "$tools/bin/unshare" $namespace -- "$tools/bin/busybox" true 2>&1) || {
    lacks "The namespace for the image can't be made: $said" "$namespaces"
    unfit
}
# shellcheck disable=SC2086
exec "$loader" --library-path "$tools/lib" "$tools/bin/unshare" $namespace -- \
    "$tools/bin/busybox" sh "$tools/bin/inside.sh" "$tools" "$image" $((image_first * block)) "$scratch" "$harness" "$@"
