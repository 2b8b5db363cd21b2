# Everything that the flake offers, wired together. SOURCE is the flake's own tree in the store.
{ source, system }:
let
  pins = import ./pins.nix { inherit system; folder = ../pins; };
  lib = import ./lib.nix { inherit system; inherit (pins) seed; };
  sources = import ./source.nix;
  inherit (import ./python.nix { inherit lib pins; }) stage0 python step;

  runtime = import ./runtime.nix { inherit step pins; };
  skopeo = import ./skopeo.nix { inherit step pins; };
  slurm = import ./slurm.nix { inherit step pins; };
  signing = import ./signing.nix { inherit step pins; };
  squashfs = import ./squashfs.nix { inherit step pins lib; };
  playwright = import ./playwright.nix { inherit step python pins; };
  browser = import ./browser.nix { inherit step pins lib playwright; };
  axe = import ./axe.nix { inherit lib pins; };
  rootfs = import ./rootfs.nix { inherit step pins; };
  image = import ./image.nix { inherit step rootfs; };
  farm = import ./pin-farm.nix { inherit lib pins; };

  env = import ./env.nix { inherit step python pins; };
  files = import ./files.nix { inherit lib pins; };
  program = import ./program.nix { inherit lib files; parts = { inherit runtime rootfs squashfs; inherit (sources) pins; }; };
  harness = import ./package.nix {
    inherit step python program sources;
    env = env.runtime;
    closure = import ./closure.nix { inherit system lib python; };
  };
  testEnv = env.withPackages [ harness playwright ];
in
{
  packages = {
    default = harness;
    inherit harness runtime;
    sandbox-rootfs = rootfs;
    sandbox-image = image;
    pins = farm;
    # Steps on the way, for whoever looks into one.
    inherit (pins) seed;
    inherit stage0 python skopeo slurm signing squashfs playwright browser axe;
    env = env.runtime;
  };
  apps = import ./apps.nix { inherit program harness testEnv skopeo slurm signing browser axe source; };
  checks = import ./checks.nix { inherit lib pins source sources python harness testEnv runtime rootfs image browser playwright; inherit (env) dev; };
}
