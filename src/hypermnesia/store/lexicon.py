"""Text as the lexical index sees it.

The index is FTS5 with :data:`TOKENIZER` over *analysed* text: terms of letters, digits, marks
and ``_`` separated by spaces, which FTS5 then stems. Queries go through the same analysis, so
that what is findable is decided here and not by SQLite's idea of a word.

===================== ==================================================================
text                  terms
===================== ==================================================================
``don't``, ``Ana's``  ``dont``; ``ana``
``l'amour``           ``lamour`` and ``amour``
``src/auth.py``       ``src_auth_py``, ``auth_py``, ``src``, ``auth``, ``py``
``POL-358``           ``pol_358``, ``pol``, ``358``
``getUserName``       ``getusername``, ``get``, ``user``, ``name``
``$1,200.50``         ``1200_50``, ``1200``, ``50``
``東京都``            each character and each pair: ``東 京 都 東京 京都``
===================== ==================================================================
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import chain, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

TOKENIZER = "porter unicode61 remove_diacritics 2 categories 'L* M* N* Co' tokenchars '_'"
"""FTS5 tokenizer of the index. Marks belong to words: without them Hindi and Thai lose vowels."""
QUERY_TERMS = 16
"""Distinct terms a query asks for at most (DGUI-HyperMem, read path)."""
TERM_LENGTH = 64
"""Characters of a term; FTS5's Porter stemmer leaves longer ones alone."""
OUTPUT_LENGTH = 512_000
"""Characters of analysed text at most: eight times the longest memory of 64,000."""

# The function words of English by word class (Quirk et al. 1985, chapters 2, 5, 6, 8 and 9),
# auxiliaries and contractions included, and the few adverbs as frequent as they.
_STOP_WORDS = """
a an the this that these those each every either neither some any no all both half such
what which whose whatever whichever enough several another other others own same few fewer
less least many more most much
i me my mine myself you your yours yourself yourselves he him his himself she her hers
herself it its itself we us our ours ourselves they them their theirs themselves who whom
whoever one ones someone somebody something anyone anybody anything everyone everybody
everything nobody nothing none
be am is are was were been being have has had having do does did done doing can could may
might must shall should will would ought need
dont doesnt didnt isnt arent wasnt werent havent hasnt hadnt wont wouldnt cant cannot couldnt
shouldnt mustnt neednt aint lets
about above across after against along amid among around as at before behind below beneath
beside besides between beyond by despite down during except for from in inside into like near
of off on onto out outside over past per since through throughout till to toward towards under
until up upon versus via with within without
and but or nor so yet if unless because although though while whereas whether than then once
when whenever where wherever why how however therefore thus hence
not never ever also too very just only even still again already always often quite rather
really almost else there here now please
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Dropped from queries, in the form that analysis gives them."""

# Joiners that zero-width characters are, and the two apostrophes in use.
_CLEAN = str.maketrans({"\u00ad": None, "\u200b": " ", "\u200c": None, "\u200d": None,
                        "\u2060": None, "\ufeff": None, "\u2019": "'", "\u02bc": "'"})  # fmt: skip
# Python's \w leaves combining marks out; these blocks hold those of living scripts.
_MARKS = "".join(
    chr(point)
    for block in ((0x0300, 0x2000), (0x20D0, 0x2100), (0x302A, 0x309B), (0xA800, 0xAC00))
    for point in range(*block)
    if unicodedata.category(chr(point)).startswith("M")
)
_WORD = rf"[\w{_MARKS}]"
# An identifier runs on over up to three separators as long as a word follows: ``a::b``, ``x://y``.
_TOKEN = re.compile(rf"{_WORD}+(?:[-./\\:@'&=?#+~%$]{{1,3}}{_WORD}+)*")
_GROUPED = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?![\w,])")
_SIGNED = re.compile(r"(?<!\w)([A-Za-z])(\+\+|#)(?!\w)")
_SIGNS = {"++": "plusplus", "#": "sharp"}
_PATH = re.compile(r"[/\\@?&]+|::|:/+")
_SEPARATORS = re.compile(r"[^\w" + _MARKS + r"]+|_+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# ``we'll`` is the word ``we``, but ``don't`` stays one word, ``dont``.
_CLITIC = re.compile(r"(?<=\w)'(?:s|re|ve|ll|d|m)(?!\w)", re.IGNORECASE)
_NEGATION = re.compile(r"(?<=n)'(?=t(?!\w))", re.IGNORECASE)
# Scripts that write no space between words: Thai, Lao, Myanmar, Khmer, kana, Han; and Hangul,
# whose particles hang on to the noun.
_UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    r"\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_RUN = re.compile(rf"[{_UNSPACED}]+")
_CLUSTER = re.compile(rf"[^{_MARKS}][{_MARKS}]*|[{_MARKS}]+")


def index_terms(text: str) -> str:
    """Analyse a memory for the index.

    Returns:
        Terms separated by single spaces, repeated as often as they occur, at most
        :data:`OUTPUT_LENGTH` characters.
    """
    terms = " ".join(_terms(text, pairs_only=False))
    if len(terms) <= OUTPUT_LENGTH:
        return terms
    return terms[: terms.rfind(" ", 0, OUTPUT_LENGTH + 1)]


def query_terms(text: str) -> tuple[str, ...]:
    """The terms a query asks for: distinct, at most :data:`QUERY_TERMS`, most telling first.

    Whole identifiers lead. Stop-words are left out unless the query has nothing else. Text
    without letters or digits gives no term.
    """
    terms = dict.fromkeys(_terms(text, pairs_only=True))
    telling = [term for term in terms if term not in STOP_WORDS] or list(terms)
    telling.sort(key=lambda term: "_" not in term)
    return tuple(telling[:QUERY_TERMS])


def match_expression(terms: Iterable[str], column: str | None = None) -> str:
    """An FTS5 query that matches any of the terms, in one column or in all.

    Every term is quoted, so nothing in it can act as FTS5 syntax. No terms, no expression:
    the empty string, which FTS5 refuses; ask nothing instead.
    """
    alternatives = " OR ".join(map(_quoted, terms))
    return f"{_quoted(column)} : ({alternatives})" if column and alternatives else alternatives


def _quoted(text: str) -> str:
    return '"' + text.replace("\0", "").replace('"', '""') + '"'


def _terms(text: str, *, pairs_only: bool) -> Iterator[str]:
    folded = _folded(text)
    if folded.isascii():  # no script without spaces
        tokens: list[str] = _TOKEN.findall(folded)
        short = max(map(len, tokens), default=0) <= TERM_LENGTH
        yield from chain.from_iterable(map(_word_terms if short else _spaced_terms, tokens))
        return
    for match in _TOKEN.finditer(folded):
        token: str = match[0]
        run_from = 0
        for run in _RUN.finditer(token):
            yield from _spaced_terms(token[run_from : run.start()])
            yield from _unspaced_terms(run[0], pairs_only=pairs_only)
            run_from = run.end()
        yield from _spaced_terms(token[run_from:])


def _folded(text: str) -> str:
    """Compatibility forms and contractions folded, ``1,200`` as ``1200``, ``C++`` as a word."""
    if not text.isascii():  # neither changes ASCII
        text = unicodedata.normalize("NFKC", text.translate(_CLEAN)).translate(_CLEAN)
    if "'" in text:
        text = _CLITIC.sub("", _NEGATION.sub("", text))
    if "," in text:
        text = _GROUPED.sub(lambda match: match[0].replace(",", ""), text)
    if "+" in text or "#" in text:
        text = _SIGNED.sub(lambda match: match[1] + _SIGNS[match[2]], text)
    return text


def _spaced_terms(token: str) -> tuple[str, ...]:
    """A token whole, then its path components, then its atoms, each at most once."""
    if token.isascii() and token.isalnum() and token[1:] == token[1:].lower():
        return (token.lower()[:TERM_LENGTH],)  # most words have no parts: the same answer, sooner
    components = _PATH.split(token)
    atoms = [atom for component in components for atom in _SEPARATORS.split(component)]
    parts = [part for atom in atoms for part in _CAMEL.split(atom)]
    return tuple(dict.fromkeys(filter(None, map(_term, (token, *components, *atoms, *parts)))))


@lru_cache(maxsize=16384)
def _word_terms(token: str) -> tuple[str, ...]:
    """:func:`_spaced_terms` of a short token: words come back far more often than texts."""
    return _spaced_terms(token)


def _term(raw: str) -> str:
    """Any separators mapped to one ``_``; an apostrophe only joins."""
    return _SEPARATORS.sub("_", raw.replace("'", "")).strip("_").casefold()[:TERM_LENGTH]


def _unspaced_terms(run: str, *, pairs_only: bool) -> Iterator[str]:
    """Characters with their marks, singly and in pairs; a query of two or more asks for pairs."""
    clusters: list[str] = _CLUSTER.findall(run)
    if not pairs_only or len(clusters) == 1:
        yield from clusters
    for first, second in pairwise(clusters):
        yield first + second
