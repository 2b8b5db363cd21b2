# Everything that the flake offers, wired together. SOURCE is the flake's own tree in the store.
{ source, system }:
let
  pins = import ./pins.nix { inherit system; folder = ../pins; };
  lib = import ./lib.nix { inherit system; inherit (pins) seed; };
  inherit (import ./python.nix { inherit lib pins; }) stage0 python step;
  env = import ./env.nix { inherit step python pins; };
  runtime = import ./runtime.nix { inherit step pins; };
  rootfs = import ./rootfs.nix { inherit step pins; };
  image = import ./image.nix { inherit step rootfs; };
  farm = import ./pin-farm.nix { inherit lib pins; };
  files = import ./files.nix { inherit lib pins; };
in
{
  packages = {
    inherit runtime python stage0;
    sandbox-rootfs = rootfs;
    sandbox-image = image;
    pins = farm;
    env = env.runtime;
  };
}
