# `nix run`: the harness, its shortest command, and the tests.
{ program, harness, testEnv, skopeo, source }:
{
  default = { type = "app"; program = "${harness}/bin/harness"; };

  # `nix run .#eval -- NAME` is `harness eval NAME`.
  eval = program.app "harness-eval" (program.script ''
    exec ${harness}/bin/harness eval "$@"
  '');

  # Every check of this source, then every test with the arguments given; ends with the status of the first that fails.
  tests = program.app "harness-tests" (program.script ''
    set -eu
    export HARNESS_SOURCE=${source} HARNESS_SKOPEO=${skopeo}/bin/skopeo
    nix --extra-experimental-features 'nix-command flakes' flake check "path:$HARNESS_SOURCE" --print-build-logs --keep-going
    exec ${testEnv}/bin/python3 -I -B ${./checks/run_pytest.py} "$HARNESS_SOURCE" "$@"
  '');
}
