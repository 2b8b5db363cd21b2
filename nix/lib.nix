# Two ways to run a step of a build: a shell script under busybox, and a Python script out of builders/.
{ system, seed }:
let
  busybox = "${seed}/bin/busybox";

  # A folder with the named files and nothing else, so that an edit rebuilds only what uses the file.
  only = folder: files: builtins.path {
    path = folder;
    name = baseNameOf folder;
    filter = path: _type: builtins.elem (baseNameOf path) files;
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

  # FOLDER/SCRIPT.py, which may import the modules USES beside it. It finds its inputs as JSON in INPUTS.
  python = interpreter: { name, folder ? ./builders, script, uses ? [ ], inputs ? { }, env ? { } }: derivation (env // {
    inherit name system;
    builder = builtins.head interpreter;
    args = builtins.tail interpreter
      ++ [ "-s" "-B" "${only folder (map (module: "${module}.py") ([ script ] ++ uses))}/${script}.py" ];
    INPUTS = builtins.toJSON inputs;
    PYTHONHASHSEED = "0";
    # Nix gives a bare argv[0]; Python looks itself up on PATH.
    PATH = dirOf (builtins.head interpreter);
  });
}
