# `nix run`: the harness, its shortest command, and the tests.
{ program, harness, testEnv, skopeo, slurm, signing, browser, axe, source }:
{
  default = { type = "app"; program = "${harness}/bin/harness"; };

  # `nix run .#eval -- NAME` is `harness eval NAME`.
  eval = program.app "harness-eval" (program.script ''
    exec ${harness}/bin/harness eval "$@"
  '');

  # The harness's own Python, which knows harness.api: for scripts.
  python = program.app "harness-python" (program.script ''
    exec ${harness}/bin/python3 -I "$@"
  '');

  # Pictures of a run's report: `nix run .#screenshots -- RUN FOLDER`.
  screenshots = program.app "harness-screenshots" (program.script ''
    export HARNESS_BROWSER=${browser}/bin/chromium PYTHONPATH=${source}
    exec ${testEnv}/bin/python3 -s -P -B -m tests.screenshots "$@"
  '');

  # Every check of this source, the unit tests among them; then the integration tests, or those that arguments name.
  tests = program.app "harness-tests" (program.script ''
    set -eu
    export HARNESS_SOURCE=${source} HARNESS_SKOPEO=${skopeo}/bin/skopeo HARNESS_SLURM=${slurm}
    export HARNESS_SIGNING=${signing}/bin/ssh-keygen
    export HARNESS_BROWSER=${browser}/bin/chromium HARNESS_AXE=${axe}/axe.min.js
    nix --extra-experimental-features 'nix-command flakes' flake check "path:$HARNESS_SOURCE" --print-build-logs --keep-going
    [ $# -gt 0 ] || set -- -m integration --durations 25
    exec ${testEnv}/bin/python3 -I -B ${./checks/run_pytest.py} "$HARNESS_SOURCE" "$@"
  '');
}
