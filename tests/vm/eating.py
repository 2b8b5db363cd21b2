"""A policy whose shell eats memory in its first turn; runs COMMAND with its address, and ends with its status."""

import asyncio
import os
import sys

from harness.benchmarks.demo import server
from harness.benchmarks.demo.conversation import Conversation
from harness.benchmarks.demo.policy import Reply

EAT = "python3 -c 'held = []\nwhile True: held.append(b\"m\" * (64 << 20))'"


def answer(talk: Conversation) -> Reply:
    """Eats more memory than there is; a model that is asked again had a shell that came back."""
    if talk.tool_results:
        return Reply("It is \\boxed{survived}.")
    return Reply("I eat memory.", ("bash", {"command": EAT, "description": "Eats memory"}))


async def main() -> int:
    """See the module's docstring."""
    async with server.serve("eater", answer, []) as url:
        env = {**os.environ, "POLICY_BASE_URL": url}
        command = [*sys.argv[1:], "--policy-base-url", url, "--policy-model", "eater"]
        process = await asyncio.create_subprocess_exec(*command, env=env)
        return await process.wait()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
