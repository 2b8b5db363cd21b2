# shellcheck shell=sh disable=SC2154,SC2034 # a part of a script: the others set and use the rest
# Installs the bundle that this script stands in: the store paths above, and the data set where there is one.
#
#   sh hermetic-harness/install [--to DIR] [--data-dir DIR]
#
# --to: the folder for the link `harness` (~/.local/bin). --data-dir: where data sets are ($HARNESS_DATA_DIR, else the
# user's data folder). Nothing is written before every byte of the bundle is proven and all that the machine lacks is
# said. A call after a kill goes on where that one ended. Needs Nix, newuidmap, newgidmap, the coreutils; no network.
# Exit status: 0; 1 an error; 2 a wrong call; 4 the machine lacks something; 5 the bundle is not as it should be.
set -eu
umask 022
export LC_ALL=C
unset CDPATH NIX_REMOTE NIX_STORE NIX_STORE_DIR NIX_STATE_DIR NIX_LOG_DIR NIX_CONF_DIR NIX_PATH

# What files are called may be anything: only what can be printed reaches the terminal.
say() { printf 'install: %s\n' "$@" | tr -c '\n\040-\176' '?' >&2; }
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

absent=
for each in cat cp cut df dirname du id ln mkdir mv readlink sha256sum sort stat sync tail tr uname wc; do
    command -v "$each" >/dev/null || absent="$absent $each"
done
[ -z "$absent" ] || {
    echo "install: there is no$absent on PATH. Nothing was installed. Set PATH, such as PATH=/usr/bin:/bin" >&2
    exit 4
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
