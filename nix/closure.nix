# What the harness is built over: every store path of the closure of ENV and of what WRAPPER names, with its NAR's digest.
# So a run can say what it ran on, on nodes without Nix too.
{ system, lib, python }:
{ env, wrapper }:
let
  named = lib.shell "harness-wrapper" { inherit wrapper; } ''
    printf '%s' "$wrapper" > $out
  '';
in
derivation {
  name = "closure.json";
  inherit system named;
  # Only so does Nix tell a builder digests.
  __structuredAttrs = true;
  exportReferencesGraph.closure = [ env python named ];
  builder = lib.busybox;
  args = [ "sh" "-euc" "exec ${python}/bin/python3 -I -B ${./builders/closure.py}" ];
}
