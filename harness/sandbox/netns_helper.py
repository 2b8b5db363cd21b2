"""Runs inside a sandbox's user and network namespace: rules, address, routes; sends a listening socket back.

It is given to Python as text (``python -I -S -c``), since the sandbox's ids may not be able to read the file, so it
imports the standard library only.

usage: ``netns_helper IP NFT ADDRESS PORT RULES``, standard input being a UNIX socket to the harness.
"""

import socket
import subprocess
import sys


def run(*command: str, text: str | None = None) -> None:
    """Runs a program with no environment; ends with what it said if it fails."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, env={}, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")


def main() -> None:
    """See the module's docstring."""
    ip, nft, address, port, rules = sys.argv[1:]
    # The rules first: not even for a moment is there a route without them. `local default` brings every address home.
    run(nft, "-f", "-", text=rules)
    run(ip, "link", "set", "lo", "up")
    run(ip, "addr", "add", f"{address}/32", "dev", "lo")
    run(ip, "route", "add", "local", "default", "dev", "lo")
    # Where the kernel has no IPv6 there is nothing to route.
    subprocess.run(
        [ip, "-6", "route", "add", "local", "default", "dev", "lo"], capture_output=True, env={}, check=False
    )
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.bind((address, int(port)))
    listener.listen(128)
    socket.send_fds(socket.socket(fileno=0), [b"L"], [listener.fileno()])


if __name__ == "__main__":
    main()
