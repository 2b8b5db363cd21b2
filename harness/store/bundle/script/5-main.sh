# shellcheck shell=sh disable=SC2154,SC2034 # a part of a script: the others set and use the rest
# The order of it all.

verify
uid=$(id -u)
user=$(id -un 2>/dev/null) || user=$uid
cache=file://$here/cache
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
mend_paths
keep_paths
copy_data
finish
