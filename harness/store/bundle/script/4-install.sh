# shellcheck shell=sh disable=SC2154,SC2034 # a part of a script: the others set and use the rest
# Putting everything in its place; each step does nothing where nothing is missing.

copy_paths() {
    [ -n "$absent" ] || { say "every store path is there already"; return 0; }
    # Without it an ordinary user's Nix makes a store in the home folder.
    [ -n "$daemon" ] || mkdir -p /nix/var/nix
    # shellcheck disable=SC2086 # a list of store paths
    set -- $absent
    say "installing $# store paths"
    nix --offline copy --no-check-sigs --from "$cache" "$@" </dev/null || not_taken
    sync # Nix leaves files to the kernel
}

# What was there before may have lost its bytes: when the power went in the midst of an earlier call, say.
mend_paths() {
    set --
    for path in $all; do
        case $newline$absent$newline in
            *"$newline$path$newline"*) ;;
            *) set -- "$@" "$path" ;;
        esac
    done
    [ $# -gt 0 ] && ! nix-store --verify-path "$@" 2>/dev/null || return 0
    broken=
    for path in "$@"; do
        nix-store --verify-path "$path" 2>/dev/null || broken="$broken $path"
    done
    say "putting right what was damaged in the store:$broken"
    # shellcheck disable=SC2086 # a list of store paths
    nix-store --repair-path $broken --option substituters "$cache" --option require-sigs false </dev/null || not_taken
    sync
}

not_taken() {
    [ -z "$daemon" ] || fail "Nix could not take the store paths, see above. A daemon takes unsigned ones only from" \
        "those whom trusted-users in /etc/nix/nix.conf names: run this as root."
    fail "Nix could not take the store paths, see above. What it took stays; the same command goes on from there."
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
    link=$state/harness-$(hash_of "$harness")/bin/harness
    # Of two installers at once one may find it done.
    { ln -sfn -- "$link" "$to/.harness.new" && mv -fT -- "$to/.harness.new" "$to/harness"; } 2>/dev/null ||
        [ "$(readlink -- "$to/harness")" = "$link" ] || fail "the link $to/harness can't be made."
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
    mkdir -p -- "$data_dir"
    exec 9<"$data_dir"
    ! have flock || flock 9 # two installers at once would take each other's files for theirs
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
