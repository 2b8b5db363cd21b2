# shellcheck shell=sh disable=SC2154,SC2034 # a part of a script: the others set and use the rest
# Whether the bundle is what it was when it was made.

# usage: files FOLDER: every file below it, a line each. Links and all else that is no plain file are refused.
files() {
    for entry in "$1"/* "$1"/.[!.]* "$1"/..?*; do
        case $entry in *"$newline"*) damaged "it holds a file with a line's end in its name." ;; esac
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
    [ -r SHA256SUMS ] || fail "$here/SHA256SUMS can't be read: unpack the bundle as the user who installs it."
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
    sha256sum --check --strict --quiet /dev/null 2>&1 | while IFS= read -r line; do
        case $line in *"no properly formatted"*) ;; *) exit 1 ;; esac
    done || fail "sha256sum here is not the coreutils', so nothing can be checked. Nothing was installed."
    wrong=$(sha256sum --check --strict --quiet SHA256SUMS 2>/dev/null) || {
        [ $? -lt 128 ] || fail "the check was ended before its time. Nothing was installed."
        damaged "${wrong:-SHA256SUMS is no list of digests.}"
    }
}

# usage: check_path PATH BYTES: what Nix reads of it leads to its own NAR, and to nothing beside this bundle.
check_path() {
    name=${1#/nix/store/}
    hash=${name%%-*}
    info=cache/$hash.narinfo
    { [ -f "$info" ] && [ -f "cache/nar/$hash.nar.zst" ]; } || damaged "$1 is missing."
    text=$(cat "$info")
    # Eight ends of a line, the last of them at the end.
    { [ "$(wc -l <"$info")" -eq 8 ] && [ -z "$(tail -c 1 "$info")" ]; } || damaged "$info has other lines than a bundle's."
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
