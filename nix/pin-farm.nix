# Links to every pin: a garbage-collector root on this keeps them all.
{ lib, pins }:
lib.shell "pins" (builtins.listToAttrs (map (kind: { name = kind; value = pins.all kind; }) [ "deb" "wheel" "npm" ])) ''
  mkdir -p $out/deb $out/wheel $out/npm
  ln -s $deb $out/deb
  ln -s $wheel $out/wheel
  ln -s $npm $out/npm
  ln -s ${pins.seed} $out/seed
''
