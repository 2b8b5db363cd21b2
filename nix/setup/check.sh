# shellcheck shell=sh
# Not as root: nothing is changed. Everything that is missing is named at once, with what an administrator must run.

check() {
    user=$(id -un)
    uid=$(id -u)
    problems=
    find_python || problem "There is no python3 (3.11 or later)." "apt-get install python3"
    have git || problem "There is no git." "apt-get install git"
    check_ids
    check_nix
    if ! user_namespaces env; then
        problem "$(explain_user_namespaces)"
    elif [ -z "$problems" ] && grep -q "^$user:" /etc/passwd && ! id_ranges env; then
        problem "newuidmap or newgidmap can't map $user's ids." "chmod u+s $(command -v newuidmap) $(command -v newgidmap)"
    fi
    [ -n "$problems" ] || check_pins
    [ -z "$problems" ] || unfit "this machine is not ready for user $user:$problems" \
        "Or let root make everything ready, for a user of its own:  sh nix/setup.sh CMD..."
}

# usage: problem WORDS [COMMAND]: the command is an administrator's.
problem() {
    problems="$problems
- $1${2:+
    as root:  $2}"
}

check_ids() {
    have newuidmap newgidmap || problem "There are no newuidmap and newgidmap." "apt-get install uidmap"
    [ "$(range "$subuid" "$user" "$uid")" -ge "$range_size" ] ||
        problem "$subuid gives $user no range of $range_size ids." "$(command_for "$subuid" --add-subuids)"
    [ "$(range "$subgid" "$user" "$uid")" -ge "$range_size" ] ||
        problem "$subgid gives $user no range of $range_size ids." "$(command_for "$subgid" --add-subgids)"
}

# usage: command_for FILE OPTION. A user of a directory service is not in /etc/passwd, and usermod doesn't know it.
command_for() {
    first=$(free_ids)
    if grep -q "^$user:" /etc/passwd; then
        echo "usermod $2 $first-$((first + range_size - 1)) $user"
    else
        echo "echo $user:$first:$range_size >> $1"
    fi
}

check_nix() {
    if ! find_nix; then
        problem "There is no Nix." "apt-get install --no-install-recommends nix-bin"
    fi
    # Without var/nix in it a user's Nix passes over it, and makes a store in the home folder.
    if [ ! -e "$nix_dir" ] || { [ -O "$nix_dir" ] && [ ! -e "$nix_dir/var/nix" ]; }; then
        problem "There is no $nix_dir/var/nix for the Nix store." "mkdir -p $nix_dir/var/nix && chown -R $user: $nix_dir"
    elif [ -O "$nix_dir" ] || [ -S "$nix_dir/var/nix/daemon-socket/socket" ]; then
        :
    elif [ "$(stat -c %u "$nix_dir")" = 0 ]; then
        problem "$nix_dir is root's, and no Nix daemon is running." "systemctl start nix-daemon"
    else
        problem "$nix_dir is the store of user $(stat -c %U "$nix_dir") alone, so CMD must run as that user." "sh $tree/nix/setup.sh CMD..."
    fi
}

check_pins() {
    set_nix_for_user
    "$python" -I -B "$tree/pins/fetch" --check >/dev/null 2>&1 ||
        problem "Pinned files are missing from the Nix store. No administrator is needed:  $python $tree/pins/fetch"
}

# The settings of a build, for the commands that are started from here only.
set_nix_for_user() {
    [ -O "$nix_dir" ] || export NIX_REMOTE="${NIX_REMOTE:-daemon}"
    NIX_CONFIG="$(settings)${NIX_CONFIG:+
$NIX_CONFIG}"
    export NIX_CONFIG
    case :$PATH: in
        *":$nix_bin:"*) ;;
        *) export PATH="$PATH:$nix_bin" ;;
    esac
}
