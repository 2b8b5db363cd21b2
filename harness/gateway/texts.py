"""Text as JavaScript has it: UTF-16, where half a character (a lone surrogate) can stand alone."""


def join_halves(text: str) -> str:
    """Joins surrogate pairs that came in two pieces; lone ones stay."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def well_formed(text: str) -> str:
    """The text with each lone surrogate replaced by U+FFFD, as in any text that went through UTF-8 once."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
