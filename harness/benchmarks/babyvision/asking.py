"""The words in which a puzzle is put."""

from typing import Final

from harness.benchmarks.babyvision.question import Asked, question

INSTRUCTION: Final = """\
You get a picture and a question about it. The picture is attached, and the same file lies in your working folder \
under the name image, with the ending of its format.

Begin by looking at the picture: say what it shows and what the question wants from it. A glance is not enough where \
the answer needs precision, as when many things must be counted or compared, a line followed, or a position read off. \
There, write code and measure.

Your tools work in a sandbox from which nothing can be reached or downloaded. bash runs commands, among them Python 3 \
with NumPy, SciPy, OpenCV and Pillow. read shows you a file, also a picture. write and edit (or apply_patch) make and \
change files; glob and grep find files and text in them; todowrite keeps a list of what is to be done. To see a part \
of the picture better, cut it out or enlarge it with code, save it as a PNG file and open that file with read. Compare \
what you measured with what you see before you decide.

End with one final answer inside \\boxed{}, in the form that the question asks for; for a choice, only its letter."""

# How the answer is asked for; the authors ask for the same form.
ANSWER_LINE: Final = "Put your final answer inside \\boxed{}."


def prompt(puzzle: Asked, instruction: str) -> str:
    """All that the agent is told: the instruction, if any, then the question and how to answer it."""
    asked = f"{question(puzzle)}\n{ANSWER_LINE}"
    return f"{instruction}\n\n{asked}" if instruction else asked
