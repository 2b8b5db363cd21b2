# Two ways to run a step of a build: a shell script under busybox, and a Python script out of builders/.
{ system, seed }:
let
  busybox = "${seed}/bin/busybox";

  # The named modules of builders/ and nothing else, so that an edit rebuilds only what uses the module.
  modules = names: builtins.path {
    path = ./builders;
    name = "builders";
    filter = path: _type: builtins.elem (baseNameOf path) (map (name: "${name}.py") names);
  };
in
{
  inherit busybox;

  # ENV is the derivation's environment. busybox finds its commands as links on PATH.
  shell = name: env: script: derivation (env // {
    inherit name system script;
    builder = busybox;
    args = [ "sh" "-euc" ''
      export PATH=$NIX_BUILD_TOP/.busybox
      ${busybox} mkdir $PATH
      ${busybox} --install -s $PATH
      umask 022
      eval "$script"
    '' ];
  });

  # A Python script, which may import the modules USES of builders/. It finds its inputs as JSON in INPUTS.
  python = interpreter: { name, script, uses ? [ ], inputs ? { }, env ? { } }: derivation (env // {
    inherit name system;
    builder = builtins.head interpreter;
    args = builtins.tail interpreter ++ [ "-s" "-P" "-B" script ];
    INPUTS = builtins.toJSON inputs;
    PYTHONPATH = modules uses;
    PYTHONHASHSEED = "0";
    # Nix gives a bare argv[0]; Python looks itself up on PATH.
    PATH = dirOf (builtins.head interpreter);
  });
}
