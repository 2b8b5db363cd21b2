#!/bin/sh
# Installs the bundle that this script stands in: the store paths above, and the data set where there is one.
#
#   sh hermetic-harness/install [--to DIR] [--data-dir DIR]
#
# --to: the folder for the link `harness` (~/.local/bin). --data-dir: where data sets are ($HARNESS_DATA_DIR, else the
# user's data folder). Nothing is written before every byte of the bundle is proven and all that the machine lacks is
# said. A call after a kill goes on where that one ended. Needs Nix, newuidmap, newgidmap, the coreutils; no network.
# Exit status: 0; 1 an error; 2 a wrong call; 4 the machine lacks something; 5 the bundle is not as it should be.
# shellcheck disable=SC2154 # harness, flake, pins, data and paths are set above
set -eu
umask 022
export LC_ALL=C
unset CDPATH NIX_REMOTE NIX_STORE NIX_STORE_DIR NIX_STATE_DIR NIX_LOG_DIR NIX_CONF_DIR NIX_PATH

# What files are called may be anything: only what can be printed reaches the terminal.
say() { printf 'install: %s\n' "$@" | tr -c '[:print:]\n' '?' >&2; }
fail() {
    say "$@"
    exit 1
}
usage() {
    say "$1" "usage: sh hermetic-harness/install [--to DIR] [--data-dir DIR]"
    exit 2
}
damaged() {
    say "this bundle is damaged, or was changed: $1" \
        "Nothing was installed. Compare the file's SHA-256 with the one that \`harness bundle\` printed; unpack it anew."
    exit 5
}

to=
data_dir=
while [ $# -gt 0 ]; do
    case $1 in
        --to | --data-dir) [ -n "${2-}" ] || usage "$1 needs a folder." ;;
        *) usage "there is no option $1." ;;
    esac
    case $2 in /*) folder=$2 ;; *) folder=$PWD/$2 ;; esac
    case $1 in --to) to=$folder ;; *) data_dir=$folder ;; esac
    shift 2
done
cd -- "$(dirname -- "$0")"
here=$(pwd -P)
newline='
'

# ---- The bundle

# usage: files FOLDER: every file below it, a line each. Links and all else that is no plain file are refused.
files() {
    for entry in "$1"/* "$1"/.[!.]* "$1"/..?*; do
        if [ -L "$entry" ]; then
            damaged "$entry is a link."
        elif [ -d "$entry" ]; then
            files "$entry"
        elif [ -f "$entry" ]; then
            printf '%s\n' "${entry#./}"
        elif [ -e "$entry" ]; then
            damaged "$entry is no plain file."
        fi
    done
}

# Each line is a digest, two spaces, and a name that leads nowhere else.
check_names() {
    { [ -f SHA256SUMS ] && [ ! -L SHA256SUMS ]; } || damaged "there is no file SHA256SUMS."
    while IFS= read -r line || [ -n "$line" ]; do
        name=${line#*  }
        case ${line%%  *} in *[!0-9a-f]*) damaged "SHA256SUMS has a line without a digest." ;; esac
        case $name in
            *[!A-Za-z0-9._/-]* | */../* | */./* | *//* | */ | */.. | */. | */-* | */.*)
                damaged "SHA256SUMS names what no bundle holds: $name" ;;
            install | bundle.json | cache/nix-cache-info | cache/*.narinfo | cache/nar/*.nar.zst | data/*/*) ;;
            *) damaged "SHA256SUMS names what no bundle holds: $name" ;;
        esac
    done <SHA256SUMS
}

# What is there is what is named, each once.
check_files() {
    there=$(files .) || exit $?
    there=$(printf '%s\n' "$there" | sort)
    named=$({ cut -c 67- SHA256SUMS && echo SHA256SUMS; } | sort)
    [ "$there" != "$named" ] || return 0
    for name in $named; do
        [ -f "$name" ] || damaged "$name is missing."
    done
    damaged "it holds files that SHA256SUMS doesn't name, or names one twice."
}

check_bytes() {
    wrong=$(sha256sum --check --strict --quiet SHA256SUMS 2>/dev/null) || damaged "${wrong:-SHA256SUMS is no list of digests.}"
}

# usage: check_path PATH BYTES: what Nix reads of it leads to its own NAR, and to nothing beside this bundle.
check_path() {
    name=${1#/nix/store/}
    hash=${name%%-*}
    info=cache/$hash.narinfo
    { [ -f "$info" ] && [ -f "cache/nar/$hash.nar.zst" ]; } || damaged "$1 is missing."
    text=$(cat "$info")
    [ "$(wc -l <"$info")" -eq 8 ] || damaged "$info has other lines than a bundle's."
    case $text in
        "StorePath: $1${newline}URL: nar/$hash.nar.zst${newline}Compression: zstd${newline}FileHash: sha256:"*"${newline}FileSize: "*"${newline}NarHash: sha256:"*"${newline}NarSize: $2${newline}References:"*) ;;
        *) damaged "$info has other lines than a bundle's." ;;
    esac
    for reference in ${text##*"${newline}References:"}; do
        case $newline$paths in
            *"$newline/nix/store/$reference "*) ;;
            *) damaged "$info refers to $reference, which this bundle doesn't hold." ;;
        esac
    done
}

verify() {
    say "checking every byte of $here"
    check_names
    check_files
    check_bytes
    [ "$(cat cache/nix-cache-info)" = "StoreDir: /nix/store" ] || damaged "cache/nix-cache-info names another store."
    while read -r path size; do
        [ -z "$path" ] || check_path "$path" "$size"
    done <<END
$paths
END
}

# ---- What the machine lacks

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
    all=$(printf '%s' "$paths" | cut -d ' ' -f 1)
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
    absent=$(missing) || fail "Nix can't say which store paths it has, see above."
    check_space
    check_places
    check_data
    [ -n "$lacking" ] || return 0
    printf 'install: the bundle is whole, but this machine lacks something. Nothing was installed.%s\n' "$lacking" >&2
    exit 4
}

# ---- Installing

copy_paths() {
    [ -n "$absent" ] || { say "every store path is there already"; return 0; }
    # Without it an ordinary user's Nix makes a store in the home folder.
    [ -n "$daemon" ] || mkdir -p /nix/var/nix
    # shellcheck disable=SC2086 # a list of store paths
    set -- $absent
    say "installing $# store paths"
    nix copy --no-check-sigs --from "file://$here/cache" "$@" </dev/null || {
        [ -z "$daemon" ] || fail "Nix could not take the store paths, see above. A daemon takes unsigned ones only from" \
            "those whom trusted-users in /etc/nix/nix.conf names: run this as root."
        fail "Nix could not take the store paths, see above. What it took stays; the same command goes on from there."
    }
    sync # Nix leaves files to the kernel
}

# usage: keep PATH NAME: a link to it, for which garbage collection spares it.
keep() {
    nix-store --add-root "$state/$2-$(hash_of "$1")" --indirect --realise "$1" >/dev/null </dev/null
}

hash_of() {
    name=${1#/nix/store/}
    printf '%s\n' "${name%%-*}"
}

keep_paths() {
    mkdir -p -- "$state" "$to"
    keep "$harness" harness
    keep "$flake" source
    [ -z "$pins" ] || keep "$pins" pins
    ln -sfn -- "$state/harness-$(hash_of "$harness")/bin/harness" "$to/.harness.new"
    mv -fT -- "$to/.harness.new" "$to/harness"
}

# usage: copy_files: each that standard input names below data/ appears whole or not at all.
copy_files() {
    while IFS= read -r name; do
        folder=$data_dir/${name%/*}
        mkdir -p -- "$folder"
        cp -- "data/$name" "$folder/.installing"
        mv -fT -- "$folder/.installing" "$data_dir/$name"
    done
}

# The small files at the top come last: with them a data set is there.
copy_data() {
    [ -n "$data" ] || return 0
    sums=$(while IFS= read -r line; do case $line in *"  data/"*) printf '%s\n' "${line%%  *}  ./${line#*  data/}" ;; esac; done <SHA256SUMS)
    if [ -d "$data_dir" ] && printf '%s\n' "$sums" | (cd -- "$data_dir" && sha256sum --check --status 2>/dev/null); then
        say "the data set in $data_dir is there already"
        return 0
    fi
    say "installing the data set in $data_dir"
    names=$(printf '%s\n' "$sums" | cut -c 69-)
    printf '%s\n' "$names" | while IFS= read -r name; do case $name in */*/*) printf '%s\n' "$name" ;; esac; done | copy_files
    sync
    printf '%s\n' "$names" | while IFS= read -r name; do case $name in */*/*) ;; *) printf '%s\n' "$name" ;; esac; done | copy_files
    sync
}

finish() {
    say "done"
    cat <<END
Next, as an ordinary user:
  $to/harness doctor                                             # what this machine gives
  $to/harness eval babyvision --demo --limit 1 --run R --json    # one puzzle, without keys, data or a network
With the pins it can be built again from its source:
  nix build path:$flake#harness
END
}

verify
uid=$(id -u)
user=$(id -un 2>/dev/null) || user=$uid
profile=/nix/var/nix/profiles/default/bin
state=${XDG_STATE_HOME:-${HOME:+$HOME/.local/state}}
state=${state:+$state/hermetic}
to=${to:-${HOME:+$HOME/.local/bin}}
data_dir=${data_dir:-${HARNESS_DATA_DIR:-${XDG_DATA_HOME:-${HOME-}/.local/share}/hermetic-harness}}
export NIX_CONFIG="${NIX_CONFIG:+$NIX_CONFIG$newline}experimental-features = nix-command flakes
substituters =
build-users-group ="
lacks
copy_paths
keep_paths
copy_data
finish
