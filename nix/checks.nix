# What `nix flake check` builds: small checks, one subject each.
{ lib, pins, source, sources, python, harness, dev, testEnv, runtime, rootfs, image, browser, playwright }:
let
  # A Python script of checks/ in INTERPRETER; it raises, or writes to the output what it saw.
  check = interpreter: name: uses: inputs: lib.python [ "${interpreter}/bin/python3" ] {
    name = "check-${name}";
    script = ./checks + "/${name}.py";
    uses = [ "job" ] ++ uses;
    inherit inputs;
  };

  # Tools of an environment on the source tree, which can't be written to.
  tool = environment: name: commands: lib.shell "check-${name}" { } ''
    cd ${sources.checked}
    PATH=${environment}/bin:$PATH
    ${commands}
    echo passed > $out
  '';
in
{
  unit = tool testEnv "unit" ''
    python3 -I -B ${./checks/run_pytest.py} $PWD -m 'not integration' --numprocesses auto --maxprocesses 4 --dist loadfile
  '';
  # The documents; nothing else is made of them.
  documents = lib.shell "check-documents" { } ''
    ${testEnv}/bin/python3 -I -B ${./checks/run_pytest.py} ${source} tests/docs
    echo passed > $out
  '';
  lint = tool dev "lint" ''
    ruff check --no-cache
    ruff format --check --no-cache
  '';
  # Checks of the browser import Playwright.
  types = tool testEnv "types" ''
    python3 -m mypy --cache-dir=/dev/null
    python3 -m mypy --cache-dir=/dev/null examples/*.py
    export MYPYPATH=.:nix/builders:pins
    scripts() { python3 -m mypy --cache-dir=/dev/null --config-file= --strict "$@"; }
    scripts nix/builders/*.py
    scripts nix/checks/*.py
    scripts nix/setup/handover/*.py
    scripts pins/fetching pins/resolving
  '';
  layers = tool dev "layers" ''
    lint-imports --no-cache
    sh ${./checks/broken-layers.sh} ${./checks/broken-layers}
  '';

  # Each module alone, in the interpreter that the command uses.
  imports = check harness "imports" [ ] { inherit harness; };
  python = check python "python" [ ] { };
  runtime = check python "runtime" [ ] { inherit runtime; };
  rootfs = check python "rootfs" [ "listing" ] { inherit rootfs; };
  image = check python "image" [ "listing" ] { inherit image rootfs; };
  browser = check playwright "browser" [ ] { inherit browser; };
  pins = check harness "pins" [ ] { folder = sources.pins; };

  # The seed is the one executable that isn't built from a pin: it must be what the pinned package holds.
  seed = lib.shell "check-seed" { package = pins.pin "deb" "busybox-static"; } ''
    ar p $package data.tar.xz | unxz -c | tar -x -f - ./bin/busybox
    cmp bin/busybox ${lib.busybox}
    echo passed > $out
  '';
}
