"""Masking of secrets in a text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hypermnesia.privacy.credentials import SPOKEN, find_credentials
from hypermnesia.privacy.pem import find_private_keys
from hypermnesia.privacy.personal import find_personal
from hypermnesia.privacy.phrases import find_opening_codes, find_phrases
from hypermnesia.privacy.plain import Plain
from hypermnesia.privacy.randomness import find_random
from hypermnesia.privacy.scan import MASK, MASKED, Finding, compiled, find_tokens

LONG_SECRET = 8
"""Characters from which a secret is recognised as a whole word of whatever kind."""
UNMISTAKABLE = 20
"""Characters from which a secret is recognised even where it is glued to other letters."""
MOST_REPEATED = 64
"""Secrets of one text whose repetitions are looked for; bounds the work on hostile texts."""


@dataclass(frozen=True, slots=True)
class Redaction:
    """A text with its secrets masked.

    Attributes:
        text: each secret replaced by ``[redacted:rule]``.
        findings: what was masked, by offsets into the original text, sorted, without overlap.
    """

    text: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """Secrets found elsewhere, which are masked wherever they occur.

    Attributes:
        rules: which rule found each secret.
        pattern: matches them, short ones as whole words, the longest first.
    """

    rules: Mapping[str, str]
    pattern: re.Pattern[str]

    @classmethod
    def of(cls, rules: Mapping[str, str]) -> Known:
        """Prepare secrets for :func:`redact`."""
        longest_first = sorted(rules, key=len, reverse=True)
        return cls(rules, re.compile("|".join(map(_as_word, longest_first))))

    def find(self, text: str) -> Iterator[Finding]:
        """Where the secrets stand in a text."""
        for match in self.pattern.finditer(text):
            yield Finding(self.rules[match[0]], *match.span())


@dataclass(frozen=True, slots=True)
class _Search:
    """What is looked for beside the tokens: personal data, known secrets, unsure findings."""

    personal: bool
    known: Known | None
    sure: bool


def redact(
    text: str, personal: bool = False, *, known: Known | None = None, sure: bool = False
) -> Redaction:
    """Mask credentials, and personal data if asked to.

    Redacting the result again changes and finds nothing: text between two masks is searched
    on its own until nothing is left in it, and a mask is never looked into. A secret that is
    found once is masked wherever the text repeats it.

    Args:
        text: any text; the work is linear in its length.
        personal: also mask e-mail addresses, phone and card numbers, IBANs and IP addresses.
        known: secrets found elsewhere.
        sure: only what is certain enough to change a stored text for good; left out are
            secrets told in a sentence, and strings that merely look random.
    """
    search = _Search(personal, known, sure)
    findings = _search(text, search)
    if not findings:
        return Redaction(text, ())
    repeated = _repeated(text, findings)
    if repeated:
        rules = {**repeated, **(known.rules if known else {})}
        findings = _search(text, replace(search, known=Known.of(rules)))
    return Redaction(_mask(text, findings), tuple(findings))


def _search(text: str, search: _Search) -> list[Finding]:
    """Everything to mask, sorted: each stretch is searched until nothing is found in it."""
    findings: list[Finding] = []
    pending = _stretches(text)
    while pending:
        start, end = pending.pop()
        found = _find(text, start, end, search)
        findings.extend(found)
        pending.extend(_between(found, start, end) if found else ())
    return sorted(findings, key=lambda finding: finding.start)


def _repeated(text: str, findings: Sequence[Finding]) -> dict[str, str]:
    """Secrets that a text holds more often than they were found."""
    found = [(text[f.start : f.end], f.rule) for f in findings]
    times = Counter(secret for secret, _ in found)
    return {
        secret: rule for secret, rule in found[:MOST_REPEATED] if text.count(secret) > times[secret]
    }


def _as_word(secret: str) -> str:
    """A pattern for a secret as a whole word; a short one is none inside a number or a name.

    One that is too long to occur by chance is found inside a word, too.
    """
    pattern = re.escape(secret)
    if len(secret) >= UNMISTAKABLE:
        return pattern
    if len(secret) < LONG_SECRET:
        return rf"(?<![\w#./-]){pattern}(?![\w/-]|\.\d)"
    return rf"(?<!\w){pattern}(?!\w)"


def _stretches(text: str) -> list[tuple[int, int]]:
    """What lies between the masks that the text holds already."""
    masked = compiled(MASKED).finditer(text) if "[redacted:" in text else ()
    return _between([Finding("", *match.span()) for match in masked], 0, len(text))


def _between(findings: list[Finding], start: int, end: int) -> list[tuple[int, int]]:
    """The spans from ``start`` to ``end`` that sorted findings leave over."""
    starts = [start, *(finding.end for finding in findings)]
    ends = [*(finding.start for finding in findings), end]
    return [(a, b) for a, b in zip(starts, ends, strict=True) if a < b]


def _find(text: str, start: int, end: int, search: _Search) -> list[Finding]:
    """Everything the rules find in one stretch, sorted, overlaps united.

    Where a stretch ends at a mask, the bracket of the mask stands for it. Rules then see the
    same neighbours now as in the redacted text, and none takes a mask for the end of the text.
    """
    left, right = "]" * (start > 0), "[" * (end < len(text))
    stretch = f"{left}{text[start:end]}{right}" if left or right else text
    plain = Plain.of(stretch)
    found = [*find_private_keys(plain.text), *find_tokens(plain)]
    found += [f for f in find_credentials(plain) if not (search.sure and f.rule == SPOKEN)]
    if not search.sure:
        found += (*find_phrases(plain), *find_opening_codes(plain))
        found += find_random(plain)
    if search.personal:
        found.extend(find_personal(plain))
    if search.known is not None:
        found.extend(search.known.find(plain.text))
    shift = start - len(left)
    placed: list[Finding] = []
    for finding in found:
        first, last = plain.original(finding.start, finding.end)
        first, last = max(start, first + shift), min(end, last + shift)
        if first < last:
            placed.append(Finding(finding.rule, first, last))
    return _united(placed)


def _united(found: list[Finding]) -> list[Finding]:
    """Overlapping findings become one, under the name of the rule that was asked first."""
    if len(found) < 2:  # noqa: PLR2004 - nothing to unite
        return found
    united: list[Finding] = []
    names: list[int] = []
    for order, finding in sorted(enumerate(found), key=lambda pair: (pair[1].start, pair[0])):
        if not united or finding.start >= united[-1].end:
            united.append(finding)
            names.append(order)
            continue
        names[-1] = min(names[-1], order)
        last = united[-1]
        united[-1] = Finding(found[names[-1]].rule, last.start, max(last.end, finding.end))
    return united


def _mask(text: str, findings: list[Finding]) -> str:
    parts: list[str] = []
    position = 0
    for finding in findings:
        parts += (text[position : finding.start], MASK.format(rule=finding.rule))
        position = finding.end
    return "".join((*parts, text[position:]))
