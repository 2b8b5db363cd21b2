# Parts of the source tree, each as a store path of its own: what isn't in a part doesn't rebuild what is made of it.
let
  isWaste = name: name == "__pycache__" || builtins.match ".*\\.pyc|\\..*_cache" name != null;
  part = name: path: keep: builtins.path {
    inherit name path;
    filter = path: _type: !isWaste (baseNameOf path) && keep path;
  };
  everything = _path: true;

  # The first component of a path below the root.
  top = path: builtins.head (builtins.split "/" (builtins.substring (builtins.stringLength (toString ../. + "/")) (-1) path));

  # What tests and linters look at: not the documents, not the flake's own wiring.
  checked = [ "examples" "harness" "nix" "pins" "pyproject.toml" "tests" ];
in
{
  harness = part "harness" ../harness everything;
  project = part "pyproject.toml" ../pyproject.toml everything;
  pins = part "pins" ../pins (path: builtins.match ".*\\.json" path != null);
  checked = part "harness-source" ../. (path: builtins.elem (top path) checked);
}
