"""A text without disguises: what the rules read instead of it.

Zero-width characters are taken out; full-width, mathematical and other compatibility forms
become the plain character they stand for (Unicode NFKC); a Cyrillic or Greek letter that looks
like a Latin one becomes that one when it is glued to Latin letters or digits. Words of other
scripts stay what they are.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from dataclasses import dataclass, field
from functools import cache

_PUNCTUATION = dict(
    zip(
        map(ord, "\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u2010\u2011\u2012\u2013\u2014\u2212"),
        "''''\"\"\"------",
        strict=True,
    )
)
# Letters that common fonts draw alike (Unicode TR39, confusables), Cyrillic, Greek, Armenian.
_LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u0432\u043a"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0406\u0408\u0405\u0423\u0417"
    "\u03bf\u03b1\u03bd\u03c1\u03b9\u03ba\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f"
    "\u03a1\u03a4\u03a5\u03a7\u0578\u057d\u0131\u0261\u04cf\u0261",
    "aeopcyxijshdqwbkABEKMHOPCTXIJSY3oavpikABEZHIKMNOPTYXnuiglg",
)
_GLUED = "".join(map(chr, _LOOKALIKES))
_LOOKALIKE_RUN = (  # a class comes first, so that the letters of other words are passed quickly
    rf"[{_GLUED}](?:(?<=[0-9A-Za-z_-].)[{_GLUED}]*+"
    rf"|(?<![{_GLUED}].)[{_GLUED}]*+(?=[0-9A-Za-z_]|-[0-9A-Za-z]))"
)


class _Forms(dict[int, str]):
    """By code point, the plain form of a character; looked up once and kept."""

    def __missing__(self, code: int) -> str:
        form = self[code] = _form(code)
        return form


def _form(code: int) -> str:
    """One character, or none for what has no width; so offsets can be told."""
    char = chr(code)
    if code in _PUNCTUATION:
        return _PUNCTUATION[code]
    kind = unicodedata.category(char)
    if kind == "Cf" or code in range(0x0335, 0x0339) or code in range(0xFE00, 0xFE10):
        return ""  # format characters, strokes laid over a letter, variation selectors
    if kind == "Cs":
        return "?"  # half a surrogate pair, which no encoding can carry
    if kind == "Zs":
        return " "
    form = unicodedata.normalize("NFKC", char)
    return form if len(form) == 1 and form.isascii() else char


_FORMS = _Forms((code, chr(code)) for code in range(128))


@dataclass(frozen=True, slots=True)
class Plain:
    """A text as the rules read it.

    Attributes:
        text: without disguises.
        folded: the same in lower case, of the same length.
        data: the same in ASCII, one byte a character, ``?`` for what is not.
        offsets: where each character of ``text`` stands in the original; ``None`` = there too.
    """

    text: str
    folded: str = field(repr=False)
    data: bytes = field(repr=False)
    offsets: array[int] | None = field(repr=False)

    @classmethod
    def of(cls, text: str) -> Plain:
        """Take the disguises off a text; one in ASCII has none."""
        if text.isascii():
            return cls(text, text.lower(), text.encode("ascii"), None)
        bare = _odd().sub(lambda run: run[0].translate(_FORMS), text)
        offsets = None if len(bare) == len(text) else _offsets(text)
        if not bare.isascii():
            bare = _run().sub(lambda run: run[0].translate(_LOOKALIKES), bare)
        return cls(bare, _lower(bare), bare.encode("ascii", "replace"), offsets)

    def original(self, start: int, end: int) -> tuple[int, int]:
        """A non-empty span of ``text`` as a span of the original, what was taken out included."""
        if self.offsets is None:
            return start, end
        return self.offsets[start], self.offsets[end - 1] + 1


def _offsets(text: str) -> array[int]:
    return array("l", (i for i, char in enumerate(text) if _FORMS[ord(char)]))


def _lower(text: str) -> str:
    """Lower case of the same length: a few capitals, such as dotted I, lower to two characters."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(low if len(low := c.lower()) == 1 else c for c in text)
    return lowered


@cache
def _odd() -> re.Pattern[str]:
    """What is not ASCII: most of a text is, and a table of all its characters is slow to ask."""
    return re.compile(r"[^\x00-\x7f]+")


@cache
def _run() -> re.Pattern[str]:
    return re.compile(_LOOKALIKE_RUN)
