# The pinned files as derivations. Nothing is downloaded here: pins/fetch has put each file into the store, and there it is
# the output of a fixed-output derivation of the same name and hash.
{ system, folder }:
let
  read = name: builtins.fromJSON (builtins.readFile (folder + "/${name}.json"));
  sets = read "sets";
  seedPin = read "seed";
  pinned = { deb = read "deb"; wheel = read "wheel"; npm = read "npm"; };

  # Nix asks this derivation to build only when the file is missing. Its own fetcher is the "builder" (there is nothing else
  # to run yet), with an address that it can't fetch, so that its error is our message. A mirror in `hashed-mirrors` works.
  fixed = { name, file, mode, sha256 }: derivation {
    inherit name system;
    builder = "builtin:fetchurl";
    url = "pin: missing pin ${file}: not in this Nix store. Run pins/fetch (or nix/setup.sh), then try again";
    executable = false;
    unpack = false;
    preferLocalBuild = true;
    outputHashMode = mode;
    outputHashAlgo = "sha256";
    outputHash = sha256;
  };
in
rec {
  # One pin, by kind (deb, wheel, npm) and name.
  pin = kind: name:
    let entry = pinned.${kind}.${name} or (throw "pins/${kind}.json has no ${name}");
    in fixed { name = entry.store; inherit (entry) file sha256; mode = "flat"; };

  # The names of a set, and its pins.
  names = kind: set: sets.${kind}.${set} or (throw "pins/sets.json has no ${kind} set ${set}");
  set = kind: set: map (pin kind) (names kind set);
  all = kind: map (pin kind) (builtins.attrNames pinned.${kind});

  version = kind: name: pinned.${kind}.${name}.version;

  # The one executable that the first derivation runs: bin/busybox. A folder, since busybox goes by the name it is called by.
  seed = fixed { inherit (seedPin) name sha256; file = seedPin.name; mode = "recursive"; };
}
