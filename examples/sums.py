"""A benchmark of one's own: small sums, in words and in a picture. Play it without any endpoint:

harness eval examples/sums.py --demo --run sums
"""

import io
import re
from collections.abc import Iterator, Sequence

from PIL import Image, ImageDraw

from harness.api import Benchmark, Task, boxed

INSTRUCTION = "Do the sum. Your sandbox has Python. End with the number inside \\boxed{}."


def tasks() -> Iterator[Task]:
    """Called where the tasks are played: each time the same ones, in the same order."""
    for number, (a, b) in enumerate([(2, 3), (17, 25), (-4, 9)], start=1):
        yield Task(id=f"words-{number}", question=f"What is {a} plus {b}?", gold=str(a + b), type="words")
    for number, count in enumerate([3, 5], start=1):
        question = "How many dots does the picture have, and two more?"
        yield Task(id=f"dots-{number}", question=question, gold=str(count + 2), images=(dots(count),), type="pictures")


def dots(count: int) -> bytes:
    """A PNG file with so many dots in a row."""
    picture = Image.new("RGB", (40 * count, 40), "white")
    for place in range(count):
        ImageDraw.Draw(picture).ellipse((40 * place + 10, 10, 40 * place + 30, 30), "black")
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()


def grade(text: str, gold: str) -> float:
    """1 for the right number, half for the right one with another sign; depends on nothing but its arguments."""
    answer = (boxed(text) or "").strip()
    return 1.0 if answer == gold else 0.5 if answer.lstrip("-") == gold.lstrip("-") else 0.0


def demo(prompt: str, images: Sequence[bytes]) -> str:
    """What the scripted model of --demo says: it adds what it reads, and can't see."""
    numbers = [int(number) for number in re.findall(r"-?\d+", prompt)]
    return f"I see a picture. \\boxed{{{5}}}" if images else f"That makes \\boxed{{{sum(numbers)}}}."


benchmark = Benchmark(name="sums", tasks=tasks, instruction=INSTRUCTION, grade=grade, demo=demo)
