# shellcheck shell=sh disable=SC2154,SC2034 # a part of a script: the others set and use the rest
# What the machine lacks: all of it is said at once.

# usage: lack WORDS [COMMAND]: the command is an administrator's.
lack() {
    lacking="$lacking$newline- $1${2:+$newline    as root:  $2}"
}

have() { command -v "$1" >/dev/null 2>&1; }

# usage: ids FILE OPTION: a range of the user's with enough for a sandbox; else how to give one that is nobody's.
ids() {
    free=100000
    while IFS=: read -r name first count || [ -n "$name" ]; do
        case $first:$count in :* | *: | *[!0-9:]*) continue ;; esac
        [ $((first + count)) -le "$free" ] || free=$((first + count))
        case $name in "$user" | "$uid") [ "$count" -lt 2000 ] || return 0 ;; esac
    done 2>/dev/null <"$1" || free=100000
    lack "$1 gives $user no range of ids." "usermod $2 $free-$((free + 65535)) $user"
}

check_kernel() {
    [ "$(uname -sm)" = "Linux x86_64" ] || lack "This is $(uname -sm); everything in the bundle is for Linux x86_64."
    while read -r switch setting; do
        [ "$(cat "/proc/sys/$switch" 2>/dev/null)" != 0 ] || lack "User namespaces are forbidden here." "sysctl -w $setting"
    done <<END
kernel/unprivileged_userns_clone kernel.unprivileged_userns_clone=1
user/max_user_namespaces user.max_user_namespaces=65536
END
}

# Root installs for others, or has the ids of its container.
check_ids() {
    [ "$uid" != 0 ] || return 0
    { have newuidmap && have newgidmap; } || lack "There are no newuidmap and newgidmap." "apt-get install uidmap"
    ids /etc/subuid --add-subuids
    ids /etc/subgid --add-subgids
}

check_nix() {
    have nix || [ ! -x "$profile/nix" ] || PATH=$PATH:$profile
    { have nix && have nix-store; } || lack "There is no Nix." "apt-get install --no-install-recommends nix-bin"
    daemon=
    if [ ! -e /nix ]; then
        [ "$uid" = 0 ] || lack "There is no /nix." "mkdir /nix && chown $user: /nix"
    elif [ "$uid" = 0 ] && [ ! -O /nix ]; then
        lack "/nix is $(stat -c %U /nix)'s own store: install as that user."
    elif [ -w /nix ] && { [ ! -e /nix/store ] || [ -w /nix/store ]; }; then
        :
    elif [ -S /nix/var/nix/daemon-socket/socket ]; then
        daemon=yes
    else
        lack "/nix can't be written to by $user, and no Nix daemon runs." "chown -R $user: /nix    (or start its daemon)"
    fi
}

# The store paths that Nix doesn't hold, a line each.
missing() {
    if [ -z "$daemon" ] && [ ! -e /nix/var/nix/db/db.sqlite ] || ! have nix-store; then
        printf '%s\n' "$all"
    else
        # shellcheck disable=SC2086 # a list of store paths
        nix-store --check-validity --print-invalid $all
    fi
}

# usage: nearest FOLDER: itself, or the nearest one above it that is there.
nearest() {
    place=$1
    while [ ! -e "$place" ]; do place=$(dirname -- "$place"); done
    printf '%s\n' "$place"
}

# usage: room FOLDER MIB: whether so much is free there.
room() {
    free=$(df -Pk -- "$(nearest "$1")" | { read -r _ && read -r _ _ _ kib _ && echo $((kib / 1024)); })
    [ "$free" -ge "$2" ] || lack "$1 has $free MiB free; $2 MiB are needed: make room."
}

writable() {
    place=$(nearest "$1")
    [ -d "$place" ] && [ -w "$place" ]
}

check_space() {
    [ -z "$daemon" ] || return 0
    needed=0
    while read -r path size; do
        case $newline$absent$newline in
            *"$newline${path:-none}$newline"*) needed=$((needed + size / 1000000 + 1)) ;; # a file fills whole blocks
        esac
    done <<END
$paths
END
    room /nix "$needed"
}

check_places() {
    { [ -n "$state" ] && [ -n "$to" ]; } || { lack "There is no home folder: set HOME."; return 0; }
    case $state$newline$to$newline$data_dir in
        /*"$newline"/*"$newline"/*) ;;
        *) lack "HOME, XDG_STATE_HOME, XDG_DATA_HOME and HARNESS_DATA_DIR must be full paths, which begin with a slash."; return 0 ;;
    esac
    writable "$state" || lack "$state can't be made or written to: set XDG_STATE_HOME to another folder."
    writable "$to" || lack "$to can't be made or written to: name another folder by --to DIR."
    [ -e "$to/harness" ] || [ -L "$to/harness" ] || return 0
    case $(readlink -- "$to/harness") in
        */hermetic/harness-*/bin/harness) ;;
        *) lack "$to/harness is there already and not this installer's: name another folder by --to DIR." ;;
    esac
}

check_data() {
    [ -n "$data" ] || return 0
    writable "$data_dir" || { lack "$data_dir can't be made or written to: name another by --data-dir DIR."; return 0; }
    room "$data_dir" $(($(du -sk data | cut -f 1) / 1000 + 1))
    for record in data/*/*.json; do
        there=$data_dir/${record#data/}
        [ ! -e "$there" ] || [ "$(cat "$there")" = "$(cat "$record")" ] ||
            lack "$there is of another data set than this one: remove it, or name another folder by --data-dir DIR."
    done
}

lacks() {
    lacking=
    case $here in *[!A-Za-z0-9._/+-]*) lack "Nix can't read from the folder $here: unpack the bundle in one with a plainer name." ;; esac
    check_kernel
    check_ids
    check_nix
    all=$(printf '%s' "$paths" | cut -d ' ' -f 1)
    absent=$(missing) || fail "Nix can't say which store paths it has, see above."
    check_space
    check_places
    check_data
    [ -n "$lacking" ] || return 0
    printf 'install: the bundle is whole, but this machine lacks something. Nothing was installed.%s\n' "$lacking" >&2
    exit 4
}
