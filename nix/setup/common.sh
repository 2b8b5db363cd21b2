# shellcheck shell=sh
# Words, the account, and what all parts of nix/setup.sh ask of the machine.

account=hermetic
proc=/proc
nix_dir=/nix
subuid=/etc/subuid
subgid=/etc/subgid
# Enough ids for one user namespace with everything in it, as newuidmap hands them out.
range_size=65536

say() {
    printf 'setup: %s\n' "$*" >&2
}

# The machine lacks something: every argument is a line. Exit status 4 as everywhere in this project.
unfit() {
    printf 'setup: %s\n' "$@" >&2
    exit 4
}

# usage: have COMMAND...: whether this machine has all of them.
have() {
    for command in "$@"; do
        command -v "$command" >/dev/null 2>&1 || return 1
    done
}

# The host's own Python: 3.11 or later, with its whole standard library (Debian's python3-minimal has not).
find_python() {
    for python in /usr/bin/python3 python3; do
        "$python" -I -c 'import concurrent.futures, dataclasses, tarfile, tomllib' >/dev/null 2>&1 && return 0
    done
    return 1
}

# Where Nix is: on the PATH, or else in the default profile.
find_nix() {
    for nix in "$(command -v nix || true)" "$nix_dir/var/nix/profiles/default/bin/nix"; do
        [ -x "$nix" ] || continue
        # Through root's profile the account couldn't reach it; in the store it can.
        nix_bin=$(dirname "$(readlink -f "$nix")")
        return 0
    done
    return 1
}

# usage: range FILE NAME UID: the number of ids in the largest range that a user has.
range() {
    [ -r "$1" ] || { echo 0; return; }
    awk -F: -v name="$2" -v uid="$3" '($1 == name || $1 == uid) && $3 > most { most = $3 } END { print most + 0 }' "$1"
}

# usage: user_namespaces RUN...: whether the user that RUN runs commands as may make namespaces and be root in them.
user_namespaces() {
    "$@" unshare --user --map-root-user --mount true 2>/dev/null
}

# usage: id_ranges RUN...: whether newuidmap and newgidmap give that user its ranges (where unshare can ask them to).
id_ranges() {
    ! unshare --help | grep -q -e --map-auto || "$@" unshare --user --map-root-user --map-auto true 2>/dev/null
}

# Why not, in lines, and what an administrator does about it.
explain_user_namespaces() {
    echo 'user namespaces are forbidden to ordinary users here, and both Nix and the sandboxes need them.'
    explained=
    while read -r file bad setting; do
        if [ "$(cat "$proc/sys/$file" 2>/dev/null)" = "$bad" ]; then
            echo "  $proc/sys/$file is $bad. As root:  sysctl -w $setting  (to keep it: a line in /etc/sysctl.d/)"
            explained=1
        fi
    done <<END
kernel/unprivileged_userns_clone 0 kernel.unprivileged_userns_clone=1
user/max_user_namespaces 0 user.max_user_namespaces=100000
kernel/apparmor_restrict_unprivileged_userns 1 kernel.apparmor_restrict_unprivileged_userns=0
END
    [ -n "$explained" ] || echo '  No sysctl forbids them: in a container, start it with --privileged; else ask what filters unshare(2).'
}

# The digest of everything that pins/ pins.
pins_digest() {
    cat "$tree"/pins/*.json | sha256sum | cut -c 1-16
}
