"""Which of OpenCode's system prompts a model id gets, and what is compared of it."""

import json

import pytest

from harness.agents.opencode import families


@pytest.mark.parametrize(
    ("model_id", "family"),
    [
        ("vlm", "default"),
        ("qwen3-vl", "default"),
        ("GPT-5", "default"),  # OpenCode looks at small letters, but for two families
        ("gemini", "default"),
        ("codex", "default"),
        ("gpt-5", "gpt"),
        ("gpt-oss", "gpt"),
        ("gpt-5-codex", "codex"),
        ("gpt-4o", "beast"),
        ("gpt-4-codex", "beast"),
        ("o3-mini", "beast"),
        ("foo1", "beast"),
        ("gemini-3", "gemini"),
        ("my-claude", "claude"),
        ("Kimi-K2", "kimi"),
        ("TRINITY", "trinity"),
    ],
)
def test_the_family_of_an_id(model_id: str, family: str) -> None:
    assert families.family(model_id) == family
    assert families.system_prompt(model_id)["family"] == family


def system(model_id: str, date: str) -> str:
    return (
        f"Be brief.\n\nYou are powered by the model named {model_id}. The exact model ID is local/{model_id}\n"
        f"<env>\n  Today's date: {date}\n</env>"
    )


def test_id_and_date_make_no_difference_and_the_rest_does() -> None:
    one = families.prompt_digest("vlm", system("vlm", "Thu Jan 01 2026"))
    assert families.prompt_digest("e", system("e", "Fri Jan 02 2026")) == one
    assert families.prompt_digest("vlm", system("e", "Thu Jan 01 2026")) != one
    assert families.prompt_digest("vlm", system("vlm", "tomorrow")) != one
    assert families.prompt_digest("vlm", system("vlm", "Thu Jan 01 2026") + " ") != one


def test_a_request_is_held_against_its_own_ids_family(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"vlm": system("vlm", "Thu Jan 01 2026"), "gpt-5": "Other. " + system("gpt-5", "Thu Jan 01 2026")}
    digests = {families.family(name): families.prompt_digest(name, text) for name, text in texts.items()}
    monkeypatch.setattr(families, "_DIGESTS", digests)

    def request(model_id: str, text: str) -> bytes:
        return json.dumps({"model": model_id, "messages": [{"role": "system", "content": text}]}).encode()

    assert not families.differs(request("vlm", texts["vlm"]))
    assert not families.differs(request("gpt-5", texts["gpt-5"]))
    assert families.differs(request("vlm", texts["gpt-5"]))
    assert families.differs(json.dumps({"model": "vlm", "messages": [{"role": "user", "content": ""}]}).encode())
