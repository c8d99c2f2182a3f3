"""Texts that break programs, through every option that takes text."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Terminal

NAUGHTY = {
    "empty": "",
    "blank": " \t\u3000\n",
    "quote": "'; DROP TABLE memory; --\"",
    "match syntax": 'NEAR("a" OR b* AND ^c) content:x',
    "option": "--yes",
    "template": "${HOME} `id` $(id) %s {0} {{7*7}}",
    "escape": "\x1b[2J\x1b]0;owned\x07",
    "rtl": "\u202etxt.exe \u0627\u0644\u0639\u0631\u0628\u064a\u0629",
    "cjk": "\u7530\u4e2d\u3055\u3093\u306b\u3042\u3052\u3066\u4e0b\u3055\u3044",
    "emoji": "\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f1ee\U0001f1ea \u2764\ufe0f",
    "zalgo": "Z\u0351\u036b\u0343a\u0363l\u0348g\u0321o\u0339",
    "surrogate": "half \ud83d of a pair",
    "noncharacter": "\ufeff\uffff\U0010ffff",
    "json": '{"a": [1, null, NaN]}',
    "path": "../../etc/passwd",
    "equals": "a=b=c",
}


@pytest.mark.parametrize("text", NAUGHTY.values(), ids=NAUGHTY.keys())
@pytest.mark.parametrize(
    "command",
    [
        ("add", "--pin", "--", "{}"),
        ("search", "--", "{}"),
        ("context", "--", "{}"),
        ("suggest", "--", "{}"),
        ("add", "fact", "--scope={}"),
        ("add", "fact", "--tag={}"),
        ("add", "fact", "--metadata={}=1"),
        ("add", "fact", "--metadata=key={}"),
        ("add", "fact", "--source={}"),
        ("add", "fact", "--at={}"),
        ("list", "--tag={}", "--metadata=key={}"),
        ("list", "--cursor={}"),
        ("get", "--", "{}"),
        ("forget", "--dry-run", "--query={}"),
    ],
    ids=" ".join,
)
def test_a_naughty_text_is_stored_or_refused_cleanly(
    hm: Terminal, command: tuple[str, ...], text: str
) -> None:
    """An outcome or a reported failure, as one JSON document, never a bug; 2 is click's own."""
    verb, *rest = command
    result = hm.run(verb, "--json", *(part.replace("{}", text) for part in rest))
    assert result.exit_code in {0, 1, 2}, result.output
    assert "this is a bug" not in result.stderr
    if result.exit_code != 2:
        document = json.loads(result.stdout)
        assert ("error" in document) is (result.exit_code == 1)


@pytest.mark.parametrize("text", NAUGHTY.values(), ids=NAUGHTY.keys())
def test_what_is_stored_comes_back_as_it_was(hm: Terminal, text: str) -> None:
    """Content but for the white space around it; tags and metadata likewise."""
    result = hm.run(
        "add", "--json", "--pin", f"--tag={text}", f"--metadata=key=x{text}", "--", text
    )
    if result.exit_code == 0:
        node = hm.json("get", json.loads(result.stdout)["id"])
        assert node["content"] == text.strip()
        assert node["tags"] == [text.strip()]
        assert node["metadata"] == {"key": f"x{text}"}
    else:
        assert not text.strip() or "\ud83d" in text
