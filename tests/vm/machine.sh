#!/usr/bin/env bash
# A Debian 13 machine (systemd, cgroup v2, no network) in an emulator, for what the kernel of the test machine can't show.
#
# usage: machine.sh STATE SCRIPT [FOLDER...]
#
# Runs SCRIPT there as user `ev` (uid 1000, with subordinate ids and a systemd of its own); each FOLDER is at /in/NAME,
# read-only. Prints what SCRIPT prints and ends with its status. STATE keeps the machine: its disk goes on from call to
# call. Needs root, debootstrap, e2fsprogs and qemu-system-x86. Emulation is about 15 times slower; where KVM works,
# VM_ACCEL=kvm is not.
set -euo pipefail
if [ $# -lt 2 ]; then
    sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
mkdir -p "$1"
state=$(readlink -f "$1") script=$(readlink -f "$2")
shift 2
packages="systemd systemd-sysv dbus dbus-user-session libpam-systemd udev kmod procps iproute2 uidmap git python3 nix-bin initramfs-tools linux-image-cloud-amd64"

# The mirror that this machine's apt uses has the next release as well.
make_root() {
    local mirror
    mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | head -1)
    rm -rf "$state/root"
    debootstrap --variant=minbase trixie "$state/root" "$mirror" >"$state/debootstrap.log"
    cp /etc/resolv.conf "$state/root/etc/"
    # By apt: debootstrap doesn't follow packages that others stand in for.
    chroot "$state/root" env DEBIAN_FRONTEND=noninteractive sh -c "apt-get update && apt-get install -y --no-install-recommends $packages && apt-get clean" >"$state/install.log" 2>&1
    chroot "$state/root" useradd --create-home --uid 1000 --shell /bin/bash ev
    install -d -o 1000 -g 1000 "$state/root/nix" "$state/root/nix/var" "$state/root/nix/var/nix"
    install -D /dev/null "$state/root/var/lib/systemd/linger/ev"
    echo '/dev/vda / ext4 defaults 0 1' >"$state/root/etc/fstab"
    cat >"$state/root/etc/systemd/system/given.service" <<'UNIT'
[Unit]
Requires=user@1000.service
After=multi-user.target user@1000.service
[Service]
Type=oneshot
ExecStart=/given
[Install]
WantedBy=multi-user.target
UNIT
    cat >"$state/root/given" <<'GIVEN'
#!/bin/sh
# The second serial line carries what is printed, the third the exit status.
mkdir -p /in
mount -o ro /dev/vdb /in
su - ev -c 'export XDG_RUNTIME_DIR=/run/user/1000; exec bash /in/script' >/dev/ttyS1 2>&1 </dev/null
echo $? >/dev/ttyS2
sync
poweroff
GIVEN
    chmod +x "$state/root/given"
    chroot "$state/root" systemctl enable given.service 2>>"$state/install.log"
    rm -f "$state/disk"
    truncate -s 16G "$state/disk"
    mke2fs -q -t ext4 -d "$state/root" "$state/disk"
    touch "$state/root/.made"
}

# What goes in stands on a disk of its own, made anew for each call.
make_media() {
    rm -rf "$state/in" "$state/media"
    mkdir "$state/in"
    cp "$script" "$state/in/script"
    local folder
    for folder; do cp -a "$folder" "$state/in/"; done
    chmod -R a+rX "$state/in"
    local size
    size=$(($(du -sm "$state/in" | cut -f1) * 5 / 4 + 64))
    truncate -s "${size}M" "$state/media"
    mke2fs -q -t ext4 -d "$state/in" "$state/media"
}

boot() {
    rm -f "$state/out" "$state/status"
    timeout "${VM_SECONDS:-7200}" qemu-system-x86_64 -accel "${VM_ACCEL:-tcg,thread=multi}" -cpu max -smp 2 -m "${VM_MEMORY:-4096}" \
        -display none -no-reboot -nic none \
        -serial "file:$state/console" -serial "file:$state/out" -serial "file:$state/status" \
        -kernel "$state"/root/boot/vmlinuz-* -initrd "$state"/root/boot/initrd.img-* \
        -append 'root=/dev/vda rw console=ttyS0 quiet mitigations=off' \
        -drive "file=$state/disk,format=raw,if=virtio,cache=unsafe" \
        -drive "file=$state/media,format=raw,if=virtio,readonly=on" </dev/null 2>"$state/qemu.log" || true
}

[ -e "$state/root/.made" ] || make_root
make_media "$@"
boot
tr -d '\r' <"$state/out"
status=$(tr -dc '0-9' <"$state/status")
[ -n "$status" ] || echo "machine.sh: the machine ended early, see $state/console and $state/qemu.log" >&2
exit "${status:-1}"
