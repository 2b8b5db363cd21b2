# shellcheck shell=sh
# The pinned files come into the account's store, and stay there.

# Megabytes that the pinned files and everything built from them take at most, and the fetch meanwhile.
space=6000
pin_cache=/var/cache/hermetic-pins

# usage: on_tree CMD...: runs a command of our own as the account on this tree.
on_tree() {
    "$python" -I -B "$tree/nix/setup/handover" "$account" "$account_path" -q "$@"
}

# Nothing to do where the pin farm of these very pins is there: it is a root that garbage collection spares.
give_pins() {
    farm=$home/.local/state/hermetic/pins-$(pins_digest)
    [ ! -e "$farm" ] || return 0
    check_space
    wanted=$(mktemp)
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
    say "fetching $(wc -l <"$wanted") pinned files"
    give_clients
    "$python" -I "$tree/pins/fetch" --to "$pin_cache" --only "$wanted" >&2 || exit $?
    on_tree "$python" -I pins/fetch --from "$pin_cache" >&2 || exit $?
    rm -rf "$pin_cache"
}

check_space() {
    for folder in "$nix_dir" "$home" /var/cache; do
        free=$(df -Pm "$folder" | awk 'NR == 2 { print $4 }')
        [ "$free" -ge "$space" ] || unfit "$folder has $free MB free, and the first build takes up to $space MB: make room"
    done
}

# The clients of exactly the kinds of files that are missing.
give_clients() {
    missing=
    ! grep -q '\.whl$' "$wanted" || have pip3 || have pip || missing="$missing python3-pip"
    ! grep -q '\.tgz$' "$wanted" || have npm || missing="$missing npm"
    if [ -n "$missing" ]; then
        # shellcheck disable=SC2086 # a list of words
        install_packages $missing
    elif grep -q '\.deb$' "$wanted"; then
        apt_get update >/dev/null 2>&1 || say "apt-get update failed: trying with the lists that are here"
    fi
}
