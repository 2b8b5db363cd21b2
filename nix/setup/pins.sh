# shellcheck shell=sh
# The pinned files come into the account's store, and stay there.

# Megabytes of disk for each file that is fetched: itself, twice for a while, and what is built from it. Everything built
# from 207 files, with all checks, made a store of 2.7 GB beside 0.35 GB of downloads.
space=18
pin_cache=/var/cache/hermetic-pins

# usage: on_tree CMD...: runs a command of our own as the account on this tree.
on_tree() {
    "$python" -I -B "$tree/nix/setup/handover" "$account" "$account_path" -q "$@"
}

# Nothing to do where the pin farm of these very pins is there: it is a root that garbage collection spares.
give_pins() {
    farm=$home/.local/state/hermetic/pins-$(pins_digest)
    [ ! -e "$farm" ] || return 0
    wanted=$(mktemp)
    trap 'rm -f "$wanted" "$wanted.words"' EXIT
    on_tree "$python" -I pins/fetch --check >"$wanted" 2>"$wanted.words" || [ -s "$wanted" ] || {
        cat "$wanted.words" >&2
        unfit "could not find out which pinned files are missing"
    }
    [ ! -s "$wanted" ] || fetch_pins
    rm -f "$wanted" "$wanted.words"
    on_tree nix build --out-link "$farm" .#pins >&2 || unfit "Nix could not build the pin farm, see above"
}

# By root, whose clients are the configured ones; then by the account, whose store it is.
fetch_pins() {
    say "getting $(wc -l <"$wanted") pinned files"
    check_space
    give_clients
    "$python" -I "$tree/pins/fetch" --to "$pin_cache" --only "$wanted" >&2 || fetch_failed $?
    on_tree "$python" -I pins/fetch --from "$pin_cache" >&2 || exit $?
    rm -rf "$pin_cache"
}

# usage: fetch_failed STATUS: a download that failed is this machine's trouble; all else speaks for itself.
fetch_failed() {
    [ "$1" = 1 ] || exit "$1"
    unfit "some pinned files could not be fetched, see above. The same command goes on from here." \
        "Without a network: run  pins/fetch --to DIR  elsewhere, bring the files to $pin_cache (it is emptied when they" \
        "are in the store), and run this again."
}

check_space() {
    needed=$(($(wc -l <"$wanted") * space))
    for folder in "$nix_dir" "$(dirname "$pin_cache")"; do
        free=$(df -Pm "$folder" | awk 'NR == 2 { print $4 }')
        [ "$free" -ge "$needed" ] || unfit "$folder has $free MB free; fetching and building may take $needed MB: make room"
    done
}

# The clients of exactly the kinds of files that are still to be downloaded.
give_clients() {
    lacking=$(while read -r file; do [ -e "$pin_cache/$file" ] || echo "$file"; done <"$wanted")
    missing=
    ! lacks .whl || have pip3 || have pip || missing="$missing python3-pip"
    ! lacks .tgz || have npm || missing="$missing npm"
    if [ -n "$missing" ]; then
        # shellcheck disable=SC2086 # a list of words
        install_packages $missing
    elif lacks .deb; then
        apt_get update >/dev/null 2>&1 || say "apt-get update failed: trying with the lists that are here"
    fi
}

# usage: lacks SUFFIX: whether a file of that kind is to be downloaded.
lacks() {
    case "$lacking
" in
        *"$1
"*) ;;
        *) return 1 ;;
    esac
}
