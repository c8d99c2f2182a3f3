"""Masking of secrets in a text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from hypermnesia.privacy.credentials import find_credentials
from hypermnesia.privacy.pem import find_private_keys
from hypermnesia.privacy.personal import find_personal
from hypermnesia.privacy.scan import MASK, MASKED, Finding, find_formats, fold


@dataclass(frozen=True, slots=True)
class Redaction:
    """A text with its secrets masked.

    Attributes:
        text: each secret replaced by ``[redacted:rule]``.
        findings: what was masked, by offsets into the original text, sorted, without overlap.
    """

    text: str
    findings: tuple[Finding, ...]


class Finder(Protocol):
    """A further source of findings in a text."""

    def __call__(self, text: str, /) -> Iterator[Finding]:
        """Yield findings by offsets into ``text``."""
        ...


def redact(text: str, personal: bool = False, *, also: Finder | None = None) -> Redaction:
    """Mask credentials, and personal data if asked to.

    Redacting the result again changes and finds nothing: text between two masks is searched
    on its own until nothing is left in it, and a mask is never looked into.

    Args:
        text: any text, at most some 64,000 characters for a prompt answer; the work is linear.
        personal: also mask e-mail addresses, phone and card numbers, IBANs and IP addresses.
        also: one more finder, asked about every stretch of the text.
    """
    findings: list[Finding] = []
    pending = _stretches(text)
    while pending:
        start, end = pending.pop()
        found = _find(text, start, end, personal, also)
        findings.extend(found)
        pending.extend(_between(found, start, end) if found else ())
    if not findings:
        return Redaction(text, ())
    findings.sort(key=lambda finding: finding.start)
    return Redaction(_mask(text, findings), tuple(findings))


def _stretches(text: str) -> list[tuple[int, int]]:
    """What lies between the masks that the text holds already."""
    masked = MASKED.finditer(text) if "[redacted:" in text else ()
    return _between([Finding("", *match.span()) for match in masked], 0, len(text))


def _between(findings: list[Finding], start: int, end: int) -> list[tuple[int, int]]:
    """The spans from ``start`` to ``end`` that sorted findings leave over."""
    starts = [start, *(finding.end for finding in findings)]
    ends = [*(finding.start for finding in findings), end]
    return [(a, b) for a, b in zip(starts, ends, strict=True) if a < b]


def _find(text: str, start: int, end: int, personal: bool, also: Finder | None) -> list[Finding]:
    """Everything the rules find in one stretch, sorted, overlaps united.

    Where a stretch ends at a mask, the bracket of the mask stands for it. Rules then see the
    same neighbours now as in the redacted text, and none takes a mask for the end of the text.
    """
    left, right = "]" * (start > 0), "[" * (end < len(text))
    stretch = f"{left}{text[start:end]}{right}" if left or right else text
    found = [*find_private_keys(stretch), *find_formats(stretch)]
    found.extend(find_credentials(stretch, fold(stretch)))
    if personal:
        found.extend(find_personal(stretch))
    if also is not None:
        found.extend(also(stretch))
    shift = start - len(left)
    placed = (Finding(f.rule, max(start, f.start + shift), min(end, f.end + shift)) for f in found)
    return _united([finding for finding in placed if finding.start < finding.end])


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
