# shellcheck shell=sh
# What root gives the machine: packages, the account, ids, the store. Each step does nothing where nothing is missing.

packages() {
    missing=
    find_nix || missing="$missing nix-bin"
    have newuidmap newgidmap || missing="$missing uidmap"
    have git || missing="$missing git"
    find_python || missing="$missing python3"
    # shellcheck disable=SC2086 # a list of words
    [ -z "$missing" ] || install_packages $missing
    find_nix || unfit "nix-bin was installed, but there is no nix: look at  dpkg -L nix-bin"
    find_python || unfit "python3 was installed, but it is older than 3.11: this needs Debian 12 or later"
}

# usage: install_packages NAME...: with their names in Debian.
install_packages() {
    have apt-get || unfit "missing on this machine (their packages in Debian): $*" \
        "This is no Debian (there is no apt-get): install what gives these, then run this again."
    say "installing $*"
    log=$(mktemp)
    # Old lists may name files that the mirror no longer has. Without a network, what is in apt's cache may do.
    apt_get update >"$log" 2>&1 || say "apt-get update failed: trying with what is here"
    if ! apt_get install -y --no-install-recommends "$@" >>"$log" 2>&1; then
        tail -n 6 "$log" >&2
        rm -f "$log"
        unfit "could not install $*: the lines above are apt-get's last." \
            "Check this machine's apt sources, network and disk space (df -h / /var), then run this again."
    fi
    rm -f "$log"
}

apt_get() {
    DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@" </dev/null
}

account_exists() {
    getent passwd "$account" >/dev/null
}

make_account() {
    if ! account_exists; then
        say "making user $account, home /var/lib/$account"
        useradd --system --user-group --create-home --home-dir "/var/lib/$account" --shell /usr/sbin/nologin "$account" >&2 ||
            unfit "could not make user $account (useradd failed, see above)"
    fi
    entry=$(getent passwd "$account")
    uid=$(echo "$entry" | cut -d : -f 3)
    home=$(echo "$entry" | cut -d : -f 6)
    [ "$uid" != 0 ] || unfit "user $account is root under another name: remove or rename it"
    [ "$(stat -c %u "$home" 2>/dev/null)" = "$uid" ] ||
        unfit "the home of user $account is not its own. As root:  mkdir -p $home && chown $account: $home"
    give_ids "$subuid" --add-subuids
    give_ids "$subgid" --add-subgids
}

# usage: give_ids FILE OPTION: a range that overlaps nobody's, where the account has none that is large enough.
give_ids() {
    [ "$(range "$1" "$account" "$uid")" -lt "$range_size" ] || return 0
    first=$(free_ids)
    last=$((first + range_size - 1))
    say "giving $account the ids $first to $last in $1"
    usermod "$2" "$first-$last" "$account" || unfit "usermod failed. As root:  echo $account:$first:$range_size >> $1"
}

# The first of $range_size ids that are in no range of either file, and no user's or group's own.
free_ids() {
    {
        cat "$subuid" "$subgid" 2>/dev/null || true
        getent passwd | awk -F : '{ print $1 ":" $3 ":1" }'
        getent group | awk -F : '{ print $1 ":" $3 ":1" }'
    } | sort -t : -k 2,2n | awk -F : -v size="$range_size" '
        BEGIN { first = 100000 }
        $2 >= first + size { exit }
        $2 + $3 > first { first = $2 + $3 }
        END { print first }'
}

check_namespaces() {
    user_namespaces as_account || unfit "$(explain_user_namespaces)"
    id_ranges as_account || unfit "newuidmap or newgidmap could not map the ids that /etc/subuid and /etc/subgid give $account." \
        "Both must be setuid root (ls -l $(command -v newuidmap)), on a filesystem that is not mounted nosuid." \
        "In a container: do not start it with no-new-privileges."
}

# Everybody's, as udev's own rule has it: by it an image is mounted on nodes without /nix. A machine without the device can
# do all else.
give_fuse() {
    if [ -c /dev/fuse ] && ! as_account sh -c ': <>/dev/fuse' 2>/dev/null; then
        say "letting every user open /dev/fuse"
        chmod 666 /dev/fuse || say "chmod failed: images for nodes without /nix can't be mounted here"
    fi
}

# The account's own /nix, or somebody else's with a daemon. Never a /nix that is taken over.
give_store() {
    if [ ! -e "$nix_dir" ]; then
        say "making $nix_dir for $account"
        mkdir "$nix_dir"
        chown "$account:" "$nix_dir"
    fi
    owner=$(stat -c %U "$nix_dir")
    if [ "$owner" = "$account" ]; then
        for path in "$nix_dir/store" "$nix_dir/var/nix/db"; do
            [ ! -e "$path" ] || [ "$(stat -c %U "$path")" = "$account" ] ||
                unfit "$path is not $account's, though $nix_dir is. As root:  chown -R $account: $nix_dir"
        done
    elif [ -S "$nix_dir/var/nix/daemon-socket/socket" ]; then
        NIX_REMOTE=daemon
        export NIX_REMOTE
        as_account nix store ping >/dev/null 2>&1 ||
            unfit "$nix_dir is $owner's, and its daemon does not answer $account." \
                "Start it (systemctl start nix-daemon) and see allowed-users in /etc/nix/nix.conf."
    else
        unfit "$nix_dir exists, belongs to $owner, and no Nix daemon is running: it is not taken over. One of these:" \
            "  start its daemon:                             systemctl start nix-daemon   (Debian: nix-setup-systemd)" \
            "  give the store and all in it to this project: chown -R $account: $nix_dir"
    fi
}

# Settings in the account's own folder; /etc/nix/nix.conf, where there is one, stays as it is.
configure_nix() {
    conf=$home/.config/nix/nix.conf
    settings | cmp -s - "$conf" && return 0
    if [ -e "$conf" ] && ! head -n 1 "$conf" | grep -q 'Written by nix/setup.sh'; then
        say "$conf is not this script's and stays as it is; settings that builds need: nix/setup/nix.conf"
        return 0
    fi
    # shellcheck disable=SC2016 # expanded by the inner shell
    settings | as_account sh -c 'mkdir -p "$(dirname "$1")" && cat > "$1"' sh "$conf" ||
        unfit "could not write $conf: see df -h $home"
}

# A daemon lets an ordinary user set only what concerns that user.
settings() {
    if [ -n "${NIX_REMOTE-}" ]; then
        sed -n '1,/^warn-dirty/p' "$tree/nix/setup/nix.conf"
    else
        cat "$tree/nix/setup/nix.conf"
    fi
}

# Runs a command as the account with nothing of root's environment. Not for secrets: they would stand in the process list.
as_account() {
    setpriv --reuid "$account" --regid "$(id -g "$account")" --init-groups --inh-caps=-all \
        env -i HOME="$home" USER="$account" LOGNAME="$account" PATH="$account_path" ${NIX_REMOTE:+NIX_REMOTE="$NIX_REMOTE"} "$@"
}
