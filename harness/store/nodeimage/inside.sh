# In a mount namespace of its own, as its root: puts the image on /nix/store and becomes the harness.
#
# usage: busybox sh inside.sh TOOLS IMAGE OFFSET SCRATCH HARNESS ARGUMENT...
# shellcheck shell=sh
set -eu
tools=$1 image=$2 offset=$3 scratch=$4 harness=$5
shift 5
busybox=$tools/bin/busybox
loader=$tools/lib/ld-linux-x86-64.so.2

bb() {
    "$busybox" "$@"
}

failed() {
    echo "harness: $1" >&2
    exit 4
}

# A root folder like the host's that has a /nix too; what is mounted in it comes along.
new_root() {
    new=$scratch/root
    here=$PWD
    # Unbindable: it would hold itself otherwise, since it stands in a folder that is shown in it.
    bb mkdir -p "$new" && bb mount -t tmpfs -o mode=755,size=1m root "$new" && bb mount --make-unbindable "$new" || return
    for each in /* /.[!.]*; do
        show "$each" || echo "harness: $each of this machine is not to be seen" >&2
    done
    bb mkdir "$new/nix" "$new/.harness-before" && cd "$new" && bb pivot_root . .harness-before && cd / || return
    bb umount -l /.harness-before && bb rmdir /.harness-before && cd "$here"
}

# usage: show PATH: one entry of the root folder in the new one.
show() {
    if [ -L "$1" ]; then
        bb cp -P "$1" "$new/"
    elif [ -d "$1" ]; then
        bb mkdir "$new$1" && bb mount --rbind "$1" "$new$1"
    elif [ -e "$1" ]; then
        : >"$new$1" && bb mount --bind "$1" "$new$1"
    fi
}

if [ -d /nix ]; then
    bb mount -t tmpfs -o mode=755,size=1m nix /nix || failed "nothing can be mounted on /nix here."
else
    new_root || failed "no root folder with a /nix can be made here."
fi
bb mkdir /nix/store

# It ends with this process and no sooner, whoever signals the whole group or job. Were this process dead already, the
# signal would never come: so the last look at the parent.
# shellcheck disable=SC2016 # expanded by the inner shell
(
    trap '' HUP INT QUIT TERM USR1 USR2
    exec "$busybox" setsid "$loader" --library-path "$tools/lib" "$tools/bin/setpriv" --pdeathsig KILL -- \
        "$busybox" sh -c '[ "$PPID" = "$1" ] || exit 1; shift; exec "$@"' sh $$ \
        "$loader" --library-path "$tools/lib" "$tools/bin/squashfuse" -f -o "allow_other,offset=$offset" \
        "$image" /nix/store </dev/null >/dev/null
) &
server=$!
until [ -d "$harness" ]; do
    case $(bb cat "/proc/$server/stat" 2>/dev/null) in
        "" | *") Z "*) failed "$image can't be mounted, see above." ;;
    esac
    bb usleep 5000
done
export HARNESS_NODE_IMAGE="$image"
exec "$harness/bin/harness" "$@"
