"""nix/setup.sh itself, as far as it goes without changing a machine."""

import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration  # needs sh and the host's tools

NIX = Path(__file__).parents[2] / "nix"
TOOLS = ("awk", "cat", "cut", "dirname", "env", "getent", "grep", "readlink", "sed", "sh", "sha256sum", "sort", "stat")


class Machine:
    """A PATH that holds only ordinary tools and what a test puts there."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.ids = folder / "subids"
        self.ids.write_text("")
        for tool in TOOLS:
            where = shutil.which(tool)
            assert where is not None, f"this test needs {tool}"
            (self.bin / tool).symlink_to(where)
        self.command("id", "case $1 in -u) echo 4242 ;; *) echo alice ;; esac")

    def command(self, name: str, script: str) -> None:
        (self.bin / name).write_text(f"#!{self.bin}/sh\n{script}\n")
        (self.bin / name).chmod(0o755)

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        path = {"PATH": str(self.bin)}
        return subprocess.run([str(self.bin / "sh"), *arguments], env=path, capture_output=True, text=True, check=False)

    def parts(self, script: str) -> "subprocess.CompletedProcess[str]":
        """Run a script that can use what is in nix/setup/*.sh, with this machine's id ranges."""
        sources = "; ".join(f". '{NIX}/setup/{part}.sh'" for part in ("common", "check", "host", "pins"))
        here = f"subuid='{self.ids}'; subgid='{self.ids}'; nix_dir='{self.bin}/no-nix'; tree='{NIX.parent}'"
        return self.run("-euc", f"{sources}; {here}; {script}")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-x", "true")])
def test_without_a_command_it_says_how_in_two_lines(machine: Machine, arguments: tuple[str, ...]) -> None:
    done = machine.run(str(NIX / "setup.sh"), *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 2


def test_not_as_root_it_names_everything_that_is_missing_and_runs_nothing(machine: Machine, tmp_path: Path) -> None:
    machine.command("unshare", "exit 1")
    done = machine.run(str(NIX / "setup.sh"), str(machine.bin / "sh"), "-c", f"echo ran > '{tmp_path}/ran'")
    assert done.returncode == 4
    assert not (tmp_path / "ran").exists()
    assert "not ready for user alice" in done.stderr
    assert "apt-get install git" in done.stderr
    assert "apt-get install uidmap" in done.stderr
    assert "apt-get install --no-install-recommends nix-bin" in done.stderr
    assert "/etc/subuid gives alice no range of 65536 ids" in done.stderr
    assert "user namespaces are forbidden" in done.stderr


def test_it_proposes_ids_that_nobody_has(machine: Machine) -> None:
    machine.ids.write_text("bob:100000:65536\ncarol:200000:65536\n")
    done = machine.parts('user=alice uid=4242 problems=; check_ids; echo "$problems"')
    # 165536 to 199999 is too small a gap.
    assert "echo alice:265536:65536 >> " in done.stdout


@pytest.mark.parametrize(
    ("lines", "most"),
    [
        ("", 0),
        ("bob:100000:65536", 0),
        ("alice:100000:1000\nalice:200000:65536", 65536),
        ("4242:100000:70000", 70000),
        ("alice:100000:65536\nalice:300000:10", 65536),
    ],
)
def test_a_users_largest_range_is_what_counts(machine: Machine, lines: str, most: int) -> None:
    machine.ids.write_text(lines)
    assert machine.parts('range "$subuid" alice 4242').stdout == f"{most}\n"


@pytest.mark.parametrize(
    ("file", "value", "advice"),
    [
        ("kernel/unprivileged_userns_clone", "0", "sysctl -w kernel.unprivileged_userns_clone=1"),
        ("user/max_user_namespaces", "0", "sysctl -w user.max_user_namespaces=100000"),
        (
            "kernel/apparmor_restrict_unprivileged_userns",
            "1",
            "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        ),
    ],
)
def test_it_explains_what_forbids_user_namespaces(
    machine: Machine, tmp_path: Path, file: str, value: str, advice: str
) -> None:
    setting = tmp_path / "sys" / file
    setting.parent.mkdir(parents=True)
    setting.write_text(f"{value}\n")
    done = machine.parts(f"proc='{tmp_path}'; explain_user_namespaces")
    assert advice in done.stdout
    assert done.stdout.count("sysctl -w") == 1
    setting.write_text(f"{1 - int(value)}\n")
    assert "--privileged" in machine.parts(f"proc='{tmp_path}'; explain_user_namespaces").stdout


def test_a_store_of_somebody_else_without_a_daemon_is_not_taken_over(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "nix").mkdir()
    machine.command("chown", f"touch '{tmp_path}/changed'")
    done = machine.parts(f"account=alice; nix_dir='{tmp_path}/nix'; give_store; echo went on")
    assert done.returncode == 4
    assert done.stdout == ""
    assert "it is not taken over" in done.stderr
    assert f"chown -R alice: {tmp_path}/nix" in done.stderr
    assert not (tmp_path / "changed").exists()


def test_without_apt_it_names_what_is_missing(machine: Machine) -> None:
    done = machine.parts("install_packages nix-bin uidmap")
    assert done.returncode == 4
    assert "nix-bin uidmap" in done.stderr
    assert "no apt-get" in done.stderr


def test_apt_that_fails_is_quoted(machine: Machine) -> None:
    for tool in ("mktemp", "tail", "rm"):
        (machine.bin / tool).symlink_to(str(shutil.which(tool)))
    machine.command("apt-get", 'echo "E: Unable to locate package $1" >&2; exit 100')
    done = machine.parts("install_packages nix-bin")
    assert done.returncode == 4
    assert "E: Unable to locate package" in done.stderr
    assert "could not install nix-bin" in done.stderr


def test_a_full_disk_is_seen_before_a_large_fetch(machine: Machine) -> None:
    machine.command("df", "echo; echo /dev/x 10000 9900 100 99% /nix")
    machine.command("wc", "echo 200")
    done = machine.parts(f"wanted='{machine.ids}'; check_space")
    assert done.returncode == 4
    assert "has 100 MB free" in done.stderr
    machine.command("wc", "echo 1")
    assert machine.parts(f"wanted='{machine.ids}'; check_space").returncode == 0


def test_a_daemon_is_asked_only_for_what_an_ordinary_user_may_set(machine: Machine) -> None:
    own, asked = machine.parts("settings").stdout, machine.parts("NIX_REMOTE=daemon; settings").stdout
    assert "sandbox-fallback = false" in own
    assert "build-users-group =" in own
    assert [line for line in asked.splitlines() if not line.startswith("#")] == [
        "experimental-features = nix-command flakes",
        "flake-registry =",
        "warn-dirty = false",
    ]


@pytest.mark.parametrize(
    ("wanted", "there", "installed"),
    [
        ("a.whl b.tgz c.deb", "", "python3-pip npm"),
        ("a.whl b.tgz c.deb", "a.whl", "npm"),
        ("a.whl b.tgz c.deb", "a.whl b.tgz c.deb", ""),
        ("c.deb", "", ""),
    ],
)
def test_only_clients_that_are_needed_are_installed(
    machine: Machine, tmp_path: Path, wanted: str, there: str, installed: str
) -> None:
    cache, listed = tmp_path / "cache", tmp_path / "wanted"
    cache.mkdir()
    for name in there.split():
        (cache / name).write_text("")
    listed.write_text("".join(f"{name}\n" for name in wanted.split()))
    fakes = 'install_packages() { echo "$@"; }; apt_get() { :; }'
    done = machine.parts(f"{fakes}; pin_cache='{cache}'; wanted='{listed}'; give_clients")
    assert done.stdout.strip() == installed


def test_a_download_that_fails_says_how_to_do_without(machine: Machine) -> None:
    done = machine.parts("fetch_failed 1")
    assert done.returncode == 4
    assert "pins/fetch --to DIR" in done.stderr
    assert machine.parts("fetch_failed 5").returncode == 5


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not here")
def test_shellcheck_is_content() -> None:
    scripts = [str(NIX / "setup.sh"), str(Path(__file__).parent / "bare.sh")]
    done = subprocess.run(["shellcheck", "-x", *scripts], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
