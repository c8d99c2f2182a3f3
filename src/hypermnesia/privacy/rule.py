"""What a rule is: one row of the tables, and how RE2 runs it.

RE2 looks at every character a bounded number of times whatever the pattern and the text
are (R. Cox, "Regular Expression Matching in the Wild", 2010), so that no text can stall a
scan. It reads bytes: :class:`~hypermnesia.privacy.plain.Plain` gives it one per character,
and offsets hold in both.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias

Family: TypeAlias = Literal[
    "provider",
    "private-key",
    "url",
    "jwt",
    "header",
    "hash",
    "assignment",
    "spoken",
    "entropy",
    "personal",
]

Check: TypeAlias = Callable[[str], bool]
"""Whether a value that has the form of a secret is one: a check digit, a calendar, a range."""

START = r"(?:^|[^A-Za-z0-9]|\\[nrt]|%[0-9A-Fa-f]{2})"
"""What stands before a token: no letter or digit, unless they are an escape (``\\n``, ``%3D``)."""
END = r"(?:[^A-Za-z0-9]|$)"
"""What stands after a token of a fixed length."""
_GLUED = re.compile(rb"[\w-]*")
IS = r"[\"'\\\s]{0,4}(?:=>?|:=?|is)[\"'\\\s]{0,4}"
"""What stands between a field's name and its value: quotes (escaped or not), blanks, one sign."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret.

    Attributes:
        name: what the mask and the refusal say.
        family: what it is measured with.
        keywords: literals, of which a text must hold one (in any case) for the pattern to run;
            none when it has no part that is rarer than itself.
        pattern: for RE2; its first group, where it has one, is the secret.
        floor: Shannon entropy in bits per character that a value must reach; a run of one
            character or a word of few letters stays below.
        check: what else a value must pass.
        live: opens an account by itself, so that a text holding it is refused, not masked.
        sure: certain enough for the stored text to be changed, not only what is recalled.
        glued: letters, digits, ``_`` and ``-`` right after the value are part of it. Without
            them a row of tokens would come to light one by one, each when the former is masked.
        matches: texts in which the rule finds ``«...»``. Inside, ``<w36>`` stands for 36
            random letters and digits, ``h`` hex, ``d`` digits, ``u`` capitals, ``l`` lower-case
            letters, ``b`` base64: a table of real tokens would itself be reported as a leak.
        misses: texts in which it finds nothing.
    """

    name: str
    family: Family
    keywords: tuple[str, ...]
    pattern: str
    floor: float = 0.0
    check: Check | None = None
    live: bool = False
    sure: bool = True
    glued: bool = True
    matches: tuple[str, ...] = ()
    misses: tuple[str, ...] = ()

    @property
    def fixed(self) -> bool:
        """Whether the pattern says how long a value is."""
        return self.pattern.endswith(END)

    def spans(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Where values of this form stand, left to right, checks not yet made."""
        regex, position = regex_of(self.pattern), 0
        group = min(regex.groups, 1)
        while (match := regex.search(data, position)) is not None:
            start, end = match.span(group)
            if self.glued:
                end = end_of_run(data, end)
            yield start, end
            # From the end of the value: what closes one token may open the next.
            position = max(end, position + 1)

    def accepts(self, value: str) -> bool:
        """Whether a value passes the rule's own checks."""
        if self.floor and entropy(value) < self.floor:
            return False
        return self.check is None or self.check(value)


def end_of_run(data: bytes, start: int) -> int:
    """Where the letters, digits, ``_`` and ``-`` that begin at ``start`` end."""
    run = _GLUED.match(data, start)
    return start if run is None else run.end()


def token(core: str) -> str:
    """A pattern whose secret starts a word."""
    return f"{START}({core})"


def whole(core: str) -> str:
    """A pattern whose secret is a word from start to end."""
    return f"{START}({core}){END}"


def has_digit(value: str) -> bool:
    """Whether a value holds a digit, as nearly every random one of eight characters does."""
    return any(char.isdigit() for char in value)


@cache
def regex_of(pattern: str, *, any_case: bool = False) -> Any:
    """A pattern compiled by RE2, at its first use."""
    import re2  # noqa: PLC0415 - loaded when something is scanned, not at start-up

    options = re2.Options()
    options.case_sensitive = not any_case
    options.log_errors = False
    return re2.compile(pattern, options)


def entropy(text: str) -> float:
    """Shannon entropy of a text's characters, bits per character (Shannon 1948)."""
    size = len(text)
    return sum(n / size * math.log2(size / n) for n in Counter(text).values())
