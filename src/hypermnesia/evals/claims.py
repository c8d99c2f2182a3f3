"""Figures in Markdown, and the references that say where each comes from.

A reference is an HTML comment, which a rendered page does not show, right behind its figure::

    recall@10 is 0.717
    <!-- eval: results/published/x/summary.json#/systems/default/all/recall@10/mean tol=0.0005 -->

The path is relative to the project, the fragment a JSON pointer (RFC 6901). ``tol`` is the
largest difference that is let pass, at most half of the last digit shown: a changed digit never
passes. A figure in per cent is compared with 100 times the value; ``scale=`` states another factor.
``<!-- eval:file PATH -->`` names the file of the references below it that have a fragment alone.

A whole table is made, and compared as a whole::

    <!-- eval:table results/published/x overall metrics=recall@5,recall@10 digits=3 -->
    ...
    <!-- /eval -->

or, of a table that a results file holds as it is (see :func:`hypermnesia.evals.stored.stored`),
``<!-- eval:table FILE#/POINTER -->``.

What is a figure, and needs a reference: a decimal fraction, a percentage, a number with a unit of
time, size or rate, and a number alone in a cell of a table (its first row and column apart), unless
it stands in code or in a link. Everything else that looks like one must be allowed by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hypermnesia.errors import InvalidInput

_UNIT = r"\s?%|\s?(?:[nµm]s|seconds|[kKMGT]i?B)\b|\s[a-z]+/s\b"
_NUMBER = re.compile(
    r"(?<![\w.])(?P<sign>[+\u2212-]?)(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d*\.\d+|\d+)"
    rf"(?P<unit>{_UNIT})?(?!\w|\.\d|,\d{{3}})"
)
_CELL = re.compile(r"[\s*±\d.,%+\u2212-]*\d[\s*±\d.,%+\u2212-]*")
_CODE = re.compile(
    r"^(?P<fence>```+|~~~+).*?^(?P=fence)[`~]*[ \t]*$|(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)",
    re.MULTILINE | re.DOTALL,
)
_LINK = re.compile(r"\]\([^)\n]*\)|https?://\S+")
_COMMENT = re.compile(r"<!--(?P<text>.*?)-->", re.DOTALL)
_CLAIM = re.compile(r"\s*/?eval\b")
_BLOCK = re.compile(r"<!-- eval:table (?P<spec>[^>]*?) -->\n(?P<body>.*?)<!-- /eval -->", re.DOTALL)
_BETWEEN = " \t\n*_).,;:"
"""What may stand between a figure and its reference."""
_NO_REFERENCE = "the comment is no reference; write it as <!-- eval: FILE#/POINTER tol=NUMBER -->"


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of a document.

    Attributes:
        start: of its first character on the page.
        end: after its last, the unit's included.
        text: as it is written.
        digits: the number alone, without sign and unit.
        value: the number, the sign included.
        percent: whether it is a percentage.
        needs_reference: whether the rule above makes it a figure.
    """

    start: int
    end: int
    text: str
    digits: str
    value: float
    percent: bool
    needs_reference: bool

    @property
    def half_digit(self) -> float:
        """Half a unit of the last digit shown."""
        return 0.5 * 10.0 ** -len(self.digits.partition(".")[2])


@dataclass(frozen=True, slots=True)
class Reference:
    """Where a figure comes from.

    Attributes:
        start: of the comment on the page.
        figure: what it stands behind, or ``None`` if there is no number.
        path: of the results file, relative to the project.
        pointer: JSON pointer into it.
        tolerance: largest difference let pass.
        scale: factor from the value to the figure.
    """

    start: int
    figure: Figure | None
    path: str
    pointer: str
    tolerance: float
    scale: float


@dataclass(frozen=True, slots=True)
class Block:
    """A table that is made of results.

    Attributes:
        start: of its opening comment on the page.
        body: where its rows stand on the page.
        path: of the run's folder or the results file, relative to the project.
        pointer: JSON pointer into the file, or nothing.
        kind: which table of the run, see :func:`hypermnesia.evals.chosen.chosen`, or nothing.
        options: of the table.
    """

    start: int
    body: slice
    path: str
    pointer: str
    kind: str
    options: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Page:
    """What a document claims.

    Attributes:
        figures: every number outside code, links and made tables.
        references: in order.
        blocks: in order.
        unreadable: place and reason of every comment that means to be a reference and is none.
    """

    figures: Sequence[Figure]
    references: Sequence[Reference]
    blocks: Sequence[Block]
    unreadable: Sequence[tuple[int, str]]


def read_page(text: str) -> Page:
    """Find the claims of a Markdown document."""
    text = _hidden(_CODE, text)
    unreadable: list[tuple[int, str]] = []
    blocks = list(_blocks(text, unreadable))
    text = _hidden(_BLOCK, text)
    shown = _hidden(_LINK, _hidden(_COMMENT, text))
    cells = set(_cells(shown))
    figures = [_figure(match, cells) for match in _NUMBER.finditer(shown)]
    references = list(_references(text, shown, figures, unreadable))
    return Page(figures, references, blocks, unreadable)


def _hidden(pattern: re.Pattern[str], text: str) -> str:
    """The text with every match blanked out, line breaks kept: places stay what they are."""
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def _figure(match: re.Match[str], cells: set[int]) -> Figure:
    digits, unit = match["digits"], (match["unit"] or "").strip()
    value = float(digits.replace(",", ""))
    return Figure(
        start=match.start(),
        end=match.end(),
        text=match[0],
        digits=digits,
        value=-value if match["sign"] in {"-", "\u2212"} else value,
        percent=unit == "%",
        needs_reference="." in digits or bool(unit) or match.start("digits") in cells,
    )


def _cells(shown: str) -> Iterator[int]:
    """Where the digits of numbers stand that are alone in a cell of a table's body."""
    place, lines = 0, shown.split("\n")
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if line.lstrip().startswith("|") and not _ruler(following):
            before = place
            for column, cell in enumerate(line.split("|")):
                if column > 1 and _CELL.fullmatch(cell):
                    yield from (before + match.start("digits") for match in _NUMBER.finditer(cell))
                before += len(cell) + 1
        place += len(line) + 1


def _ruler(line: str) -> bool:
    return "-" in line and not line.strip(" |:-")


def _blocks(text: str, unreadable: list[tuple[int, str]]) -> Iterator[Block]:
    for match in _BLOCK.finditer(text):
        target, _, rest = match["spec"].partition(" ")
        path, _, pointer = target.partition("#")
        kind, _, written = rest.strip().partition(" ")
        try:
            options = _options(written)
        except InvalidInput as error:
            unreadable.append((match.start(), str(error)))
            continue
        yield Block(match.start(), slice(*match.span("body")), path, pointer, kind, options)


def _references(
    text: str, shown: str, figures: Sequence[Figure], unreadable: list[tuple[int, str]]
) -> Iterator[Reference]:
    by_end = {figure.end: figure for figure in figures}
    file = ""
    for comment in _COMMENT.finditer(text):
        if not _CLAIM.match(comment["text"]):
            continue
        kind, *words = comment["text"].split()
        if kind == "eval:file" and len(words) == 1:
            file = words[0]
            continue
        if kind != "eval:" or not words:
            unreadable.append((comment.start(), _NO_REFERENCE))
            continue
        end = len(shown[: comment.start()].rstrip(_BETWEEN))
        try:
            yield _reference(comment.start(), by_end.get(end), file, words)
        except InvalidInput as error:
            unreadable.append((comment.start(), str(error)))


def _reference(start: int, figure: Figure | None, file: str, words: Sequence[str]) -> Reference:
    target, *written = words
    path, _, pointer = target.partition("#")
    options = _options(" ".join(written))
    if unknown := set(options) - {"tol", "scale"}:
        raise InvalidInput(f"a reference has no option {', '.join(sorted(unknown))}")
    if not (path or file) or not pointer.startswith("/"):
        raise InvalidInput(f"the reference {target!r} is not FILE#/POINTER")
    if "tol" not in options:
        raise InvalidInput(f"the reference {target!r} states no tolerance (tol=0.0005)")
    percent = figure is not None and figure.percent
    scale = _positive(options.get("scale", "100" if percent else "1"), "scale")
    return Reference(start, figure, path or file, pointer, _positive(options["tol"], "tol"), scale)


def _options(written: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for word in written.split():
        name, equals, value = word.partition("=")
        if not (name and equals and value):
            raise InvalidInput(f"{word!r} is not NAME=VALUE")
        options[name] = value
    return options


def _positive(text: str, what: str) -> float:
    if not re.fullmatch(r"\d+(\.\d+)?(e-?\d{1,2})?", text):
        raise InvalidInput(f"{what} must be a number such as 0.0005, not {text!r}")
    return float(text)
