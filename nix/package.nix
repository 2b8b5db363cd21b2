# The harness: a thin layer over the environment of its dependencies, so that an edit rebuilds in a second or two.
{ step, python, env, program, sources, closure }:
let
  wrapper = program.script ''
    exec @out@/libexec/harness "$@"
  '';
in
step {
  name = "hermetic-harness";
  script = ./builders/package.py;
  uses = [ "bytecode" "job" "layer" "wheel" ];
  inputs = {
    inherit python;
    source = sources.harness;
    inherit (sources) project;
    below = [ env ];
    inherit wrapper;
    closure = closure { inherit env wrapper; };
  };
}
