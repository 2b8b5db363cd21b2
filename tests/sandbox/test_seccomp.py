"""The strict filter, derived from a default that this test makes."""

import json
from typing import Any

from harness.sandbox import seccomp

DEFAULT: dict[str, Any] = {
    "defaultAction": "SCMP_ACT_ERRNO",
    "defaultErrnoRet": 38,
    "archMap": [
        {"architecture": "SCMP_ARCH_X86_64", "subArchitectures": ["SCMP_ARCH_X86", "SCMP_ARCH_X32"]},
        {"architecture": "SCMP_ARCH_AARCH64", "subArchitectures": ["SCMP_ARCH_ARM"]},
    ],
    "syscalls": [
        {"names": ["swapon", "vmsplice"], "action": "SCMP_ACT_ERRNO", "errnoRet": 1, "args": [], "includes": {}},
        {
            "names": ["write", "read", "mount", "clone", "io_uring_setup", "mmap"],
            "action": "SCMP_ACT_ALLOW",
            "includes": {},
        },
        {"names": ["ptrace", "keyctl"], "action": "SCMP_ACT_ALLOW", "includes": {}},
        {"names": ["setns"], "action": "SCMP_ACT_ALLOW", "includes": {"caps": ["CAP_SYS_ADMIN"]}},
        {"names": ["iopl"], "action": "SCMP_ACT_ALLOW", "includes": {"caps": ["CAP_SYS_RAWIO"]}},
        {"names": ["arch_prctl"], "action": "SCMP_ACT_ALLOW", "includes": {"arches": ["amd64", "x32"]}},
        {"names": ["set_tls"], "action": "SCMP_ACT_ALLOW", "includes": {"arches": ["arm"]}},
        {"names": ["socket"], "action": "SCMP_ACT_ALLOW", "args": [{"index": 0, "value": 16, "op": "SCMP_CMP_NE"}]},
    ],
}


def _allowed(profile: dict[str, Any], name: str) -> list[dict[str, Any]]:
    return [one for one in profile["syscalls"] if name in one["names"] and one["action"] == "SCMP_ACT_ALLOW"]


def _admits(rule: dict[str, Any], *arguments: int) -> bool:
    def holds(condition: dict[str, Any]) -> bool:
        value = arguments[condition["index"]]
        if condition["op"] == "SCMP_CMP_MASKED_EQ":
            return value & condition["value"] == condition["valueTwo"]
        assert condition["op"] == "SCMP_CMP_EQ"
        return value == int(condition["value"])

    return all(holds(condition) for condition in rule["args"])


def _socket(*arguments: int) -> bool:
    return any(_admits(rule, *arguments) for rule in _allowed(seccomp.derive(DEFAULT), "socket"))


def test_ordinary_calls_stay() -> None:
    profile = seccomp.derive(DEFAULT)
    assert _allowed(profile, "read")
    assert _allowed(profile, "arch_prctl")


def test_forbidden_calls_are_nowhere_allowed_without_condition() -> None:
    profile = seccomp.derive(DEFAULT)
    free = {name for rule in profile["syscalls"] if rule["action"] == "SCMP_ACT_ALLOW" and not rule.get("args")
            for name in rule["names"]}  # fmt: skip
    assert free.isdisjoint(seccomp.FORBIDDEN)


def test_what_a_capability_or_another_machine_would_allow_is_gone() -> None:
    profile = seccomp.derive(DEFAULT)
    assert not any({"iopl", "set_tls", "setns"} & set(rule["names"]) for rule in profile["syscalls"])


def test_only_the_native_entry() -> None:
    assert seccomp.derive(DEFAULT)["archMap"] == [{"architecture": "SCMP_ARCH_X86_64", "subArchitectures": []}]


def test_sockets_of_everyday_families() -> None:
    assert _socket(1, 1, 0)
    assert _socket(2, 1, 6)
    assert _socket(10, 2, 17)
    assert _socket(16, 3, 0)


def test_no_socket_to_a_hypervisor_nor_to_the_wire() -> None:
    assert not _socket(40, 1, 0)
    assert not _socket(17, 3, 0)


def test_no_rare_protocol_makes_the_kernel_load_a_module() -> None:
    assert not _socket(2, 1, 132)
    assert not _socket(16, 3, 12)


def test_memory_and_files_but_no_memory_that_is_shared_without_a_file() -> None:
    def mmap(flags: int) -> bool:
        return any(_admits(rule, 0, 4096, 3, flags) for rule in _allowed(seccomp.derive(DEFAULT), "mmap"))

    shared, private, fixed, anonymous, validated = 0x01, 0x02, 0x10, 0x20, 0x03
    assert all(map(mmap, (shared, private, private | fixed, private | anonymous, validated | fixed)))
    assert not any(map(mmap, (shared | anonymous, shared | anonymous | fixed, validated | anonymous)))


def test_threads_but_no_namespaces() -> None:
    (rule,) = _allowed(seccomp.derive(DEFAULT), "clone")
    clone_vm_and_thread, newuser, newnet = 0x00010100, 0x10000000, 0x40000000
    assert _admits(rule, clone_vm_and_thread)
    assert not _admits(rule, newuser)
    assert not _admits(rule, clone_vm_and_thread | newnet)


def test_the_same_default_gives_the_same_bytes() -> None:
    turned = {key: DEFAULT[key] for key in reversed(DEFAULT)}
    assert seccomp.profile(json.dumps(DEFAULT).encode()) == seccomp.profile(json.dumps(turned, indent=3).encode())
