"""Solicitation or description of child sexual abuse material.

A small rule on purpose: a sexual term, a minor and a depiction must stand together in one
phrase. Text about detecting, reporting or forbidding such material is what engineers, lawyers
and moderators write, and passes.
"""

from __future__ import annotations

from hypermnesia.privacy.plain import Plain
from hypermnesia.privacy.rule import regex_of
from hypermnesia.privacy.scan import compiled

RULE = "child-sexual-abuse"
WINDOW = 200
"""Characters on both sides in which a protective word makes the phrase a report about it."""

_HINTS = (
    "csam",
    "cp ",
    "child",
    "kid",
    "minor",
    "under",
    "teen",
    "toddler",
    "infant",
    "girl",
    "boy",
    "loli",
    "yo",
    "yr",
    "year",
)
_MINOR = (
    r"(?:child(?:ren)?|kids?|kiddie|minors|underaged?|pre-?teens?|toddlers?|infants?|lolis?"
    r"|(?:little|young|school)[ -]?(?:girl|boy)s?"
    r"|(?:\d|1[0-7])[- ]?(?:yo|y/o|(?:year|yr)s?[- ]olds?))"
)
_SEXUAL = (
    r"(?:porn(?:o|ographic|ography)?|nudes?|naked|sexual|sexually explicit|sexuali[sz]ed|erotica?"
    r"|having sex|sex|nsfw|explicit sexual)"
)
_DEPICTION = (
    r"(?:images?|pics?|pictures?|photos?|videos?|clips?|films?|movies?|drawings?|stor(?:y|ies)"
    r"|content|material|collections?|scenes?|porn(?:o|ography)?|nudes|erotica)"
)
_ASK = (
    r"(?:send(?: me)?|share|trad(?:e|ing)|sell(?:ing)?|buy(?:ing)?|looking for|want|download|swap"
    r"|give me|get me|show me|links? (?:to|for)|find me|distribut(?:e|ing))"
)
_W = r"(?:[ ,]{1,2}[\w'-]{1,20})"
_MATERIAL = (
    r"(?:csam|child sexual abuse (?:material|images?|videos?|content)"
    r"|cp (?:collections?|videos?|pics|links))"
)
_ABOUT = r"(?:of|with|about|featuring|involving|showing|depicting|between)"
PHRASES = (
    rf"{_MINOR}{_W}{{0,1}}? (?:porn(?:o|ography|ographic)?|nudes|erotica)",
    rf"(?:porn|erotica) {_ABOUT}{_W}{{0,3}}? {_MINOR}",
    rf"{_SEXUAL}{_W}{{0,2}}? {_DEPICTION} {_ABOUT}{_W}{{0,4}}? {_MINOR}",
    rf"{_DEPICTION} {_ABOUT}{_W}{{0,3}}? {_MINOR}{_W}{{0,3}}? {_SEXUAL}",
    rf"(?:naked|nude|sexuali[sz]ed) {_MINOR} {_DEPICTION}",
    rf"{_ASK}{_W}{{0,2}}? {_MATERIAL}",
)
_PROTECTIVE = (
    r"detect|report|block|banned|\bban|prevent|prohibit|polic|moderat|classif|safety|ncmec|photodna"
    r"|\blaw|illegal|filter|refus|reject|protect|\bflag|\bhash|remov|scan|prosecut|convict|crim"
    r"|victim|surviv|trauma|awareness|hotline|takedown|complian|guideline|forbid|\bdeny|disallow"
    r"|tolerance|must|never|not allow|research|court|arrest|abuse team|suspend|violat|offen[cds]"
)


def is_abuse(plain: Plain) -> bool:
    """Whether a text asks for or describes sexual depictions of minors."""
    folded = plain.folded
    if not any(hint in folded for hint in _HINTS):
        return False
    candidates = regex_of("|".join(PHRASES), any_case=True)
    position = 0
    while (match := candidates.search(plain.data, position)) is not None:
        start, end = match.span()
        # RE2 has no look-around: what stands beside a phrase is looked at here.
        if _is_apart(folded, start, end):
            first, last = max(0, start - WINDOW), end + WINDOW
            if not compiled(_PROTECTIVE).search(folded, first, last):
                return True
        position = start + 1
    return False


def _is_apart(folded: str, start: int, end: int) -> bool:
    """Whether a phrase is no part of longer words: ``gcp collections``."""
    return not (
        compiled(r"[\w-]").match(folded[max(0, start - 1) : start])
        or compiled(r"\w").match(folded[end : end + 1])
    )
