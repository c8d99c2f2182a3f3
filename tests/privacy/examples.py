"""The examples that stand beside the rules, with made-up secrets written out."""

from __future__ import annotations

import re

from tests.privacy.samples import ALNUM, HEX, fake

_ALPHABETS = {
    "w": ALNUM,
    "h": HEX,
    "d": "0123456789",
    "u": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    "l": "abcdefghijklmnopqrstuvwxyz",
    "b": ALNUM + "+/",
}
_PLACE = re.compile(r"<([whdulb])(\d{1,3})>")


def written_out(example: str) -> str:
    """An example of a rule with random characters in place of ``<w36>`` and the like."""
    return _PLACE.sub(_body, example)


def _body(place: re.Match[str]) -> str:
    prefix = f"{place.start()}:"
    return fake(prefix, int(place[2]), _ALPHABETS[place[1]]).removeprefix(prefix)


def marked(example: str) -> tuple[str, str]:
    """A text, and the part of it between «» that a rule must find."""
    text = written_out(example)
    before, _, rest = text.partition("«")
    secret, _, after = rest.partition("»")
    return before + secret + after, secret
