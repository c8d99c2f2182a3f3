"""Every figure of the documentation, derived again from the results it refers to."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypermnesia.errors import HypermnesiaError, InvalidInput
from hypermnesia.evals import results
from hypermnesia.evals.allowed import Allowance, read_allowances
from hypermnesia.evals.chosen import chosen
from hypermnesia.evals.claims import Block, Figure, Page, Reference, read_page
from hypermnesia.evals.simulate.findings import document
from hypermnesia.evals.stored import stored
from hypermnesia.evals.summary import summarise, summarise_timings
from hypermnesia.evals.tables import Results, markdown

ALLOWED = Path("docs", "unreferenced-figures.toml")
"""The allow-list, from the project's root."""
ROUNDING = 1e-9
"""What floating point may add to a tolerance, and to a mean that is made again."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A claim that does not hold, or that nothing stands behind.

    Attributes:
        where: page and line, or the file.
        what: what is wrong, and what to do.
    """

    where: str
    what: str


@dataclass(frozen=True, slots=True)
class Verification:
    """The outcome of :func:`verify`.

    Attributes:
        checked: figures and tables that were derived again.
        allowed: figures without a reference that the allow-list names.
        problems: nothing, or the documentation is not to be believed.
    """

    checked: int
    allowed: int
    problems: Sequence[Problem]


def verify(root: Path, on_progress: Callable[[int, int], None] | None = None) -> Verification:
    """Check ``README.md`` and every page below ``docs``.

    Args:
        root: the project's folder.
        on_progress: told how many of all pages are checked.

    Raises:
        InvalidInput: the allow-list cannot be read.
    """
    allowances = read_allowances(root / ALLOWED)
    checks = _Checks(root)
    used: set[Allowance | int] = set()
    checked = allowed = 0
    problems: list[Problem] = []
    paths = pages(root)
    for done, path in enumerate(paths, start=1):
        text = path.read_text("utf-8")
        page = read_page(text)
        name = path.relative_to(root).as_posix()
        checked += len(page.references) + len(page.blocks)
        problems += checks.claims(name, text, page)
        for figure in _bare(page):
            covering = [n for n, each in enumerate(allowances) if each.covers(name, text, figure)]
            used.update(covering)
            allowed += bool(covering)
            if not covering:
                problems.append(_unreferenced(name, text, figure))
        if on_progress is not None:
            on_progress(done, len(paths))
    problems += checks.folders()
    problems += [
        Problem(ALLOWED.as_posix(), f"the entry for {each} covers nothing; remove it")
        for number, each in enumerate(allowances) if number not in used
    ]  # fmt: skip
    if not checked:
        problems.append(Problem(str(root), "nothing to check: no figure refers to a result"))
    return Verification(checked, allowed, problems)


def rewrite(root: Path) -> list[Path]:
    """Make every table of the documentation again; the pages that changed.

    Raises:
        HypermnesiaError: a table cannot be made.
    """
    changed: list[Path] = []
    for path in pages(root):
        text = path.read_text("utf-8")
        fresh = text
        for block in reversed(read_page(text).blocks):
            fresh = fresh[: block.body.start] + table(root, block) + fresh[block.body.stop :]
        if fresh != text:
            results.write_text(path, fresh)
            changed.append(path)
    return changed


def pages(root: Path) -> list[Path]:
    """``README.md`` and every Markdown file below ``docs``."""
    readme = root / "README.md"
    return [*([readme] if readme.exists() else []), *sorted((root / "docs").rglob("*.md"))]


def table(root: Path, block: Block) -> str:
    """The rows of a table as they must stand on the page.

    Raises:
        HypermnesiaError: the run, the table or an option of it is unknown.
    """
    path = _within(root, block.path)
    if not block.pointer:
        shown = chosen(Results.load(path), block.kind, block.options)
    elif block.kind:
        raise InvalidInput(f"a table that a file holds takes no {block.kind!r}")
    else:
        shown = stored(pointed(results.read_json(path), block.pointer))
    return f"\n{markdown(shown)}\n"


class _Checks:
    """Derives claims again; files are read once, and their runs are remembered."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._documents: dict[str, Any] = {}
        self._folders: dict[Path, None] = {}

    def claims(self, name: str, text: str, page: Page) -> Iterator[Problem]:
        """What is wrong with the references and tables of a page."""
        for place, reason in page.unreadable:
            yield Problem(_where(name, text, place), reason)
        for reference in page.references:
            if wrong := self._reference(reference):
                yield Problem(_where(name, text, reference.start), wrong)
        for block in page.blocks:
            if wrong := self._table(block, text):
                yield Problem(_where(name, text, block.start), wrong)

    def folders(self) -> Iterator[Problem]:
        """Summaries of the runs that were referred to, which their own records contradict."""
        for folder in self._folders:
            where = folder.relative_to(self._root).as_posix()
            try:
                for name in _contradicted(folder):
                    yield Problem(f"{where}/{name}", "its own records give other values")
            except HypermnesiaError as error:
                yield Problem(where, str(error))

    def _reference(self, reference: Reference) -> str | None:
        figure = reference.figure
        if figure is None:
            return "the reference stands behind no number"
        if reference.tolerance > figure.half_digit * (1 + ROUNDING):
            return (f"the tolerance {reference.tolerance:g} is more than half of the last digit of"
                    f" {figure.text}: a changed digit would pass")  # fmt: skip
        try:
            value = self._value(reference)
        except HypermnesiaError as error:
            return str(error)
        if abs(figure.value - value) > reference.tolerance + ROUNDING * max(1, abs(value)):
            return (f"{figure.text} is written, {value:.6g} is in"
                    f" {reference.path}#{reference.pointer}")  # fmt: skip
        return None

    def _value(self, reference: Reference) -> float:
        if reference.path not in self._documents:
            path = _within(self._root, reference.path)
            self._documents[reference.path] = results.read_json(path)
            if (path.parent / results.MANIFEST).exists():
                self._folders[path.parent] = None
        found = pointed(self._documents[reference.path], reference.pointer)
        if isinstance(found, bool) or not isinstance(found, int | float):
            raise InvalidInput(f"{reference.path}#{reference.pointer} is not a number")
        return found * reference.scale

    def _table(self, block: Block, text: str) -> str | None:
        try:
            expected = table(self._root, block)
        except HypermnesiaError as error:
            return str(error)
        if not block.pointer:
            self._folders[_within(self._root, block.path)] = None
        if text[block.body].strip() != expected.strip():
            return "the table is not what its results give; run `hypermnesia eval verify --write`"
        return None


def pointed(document: Any, pointer: str) -> Any:
    """What a JSON pointer (RFC 6901) points at.

    Raises:
        InvalidInput: nothing is there.
    """
    found = document
    for token in pointer.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        if isinstance(found, dict) and name in found:
            found = found[name]
        elif (
            isinstance(found, list) and name.isascii() and name.isdigit() and int(name) < len(found)
        ):
            found = found[int(name)]
        else:
            raise InvalidInput(f"the pointer {pointer} leads nowhere at {name!r}")
    return found


def _contradicted(folder: Path) -> Iterator[str]:
    """Files of a run that differ from what its records and timings add up to.

    Raises:
        InvalidInput: there are no records, or they are damaged.
    """
    records = results.read_records(folder)
    if not records:
        raise InvalidInput(f"there are no {results.RECORDS}: nothing tells what the figures say")
    written = results.read_json(folder / results.SUMMARY)
    if not _same(summarise(records, written.get("baseline")), written):
        yield results.SUMMARY
    found = folder / results.FINDINGS
    if found.exists() and not _same(document(records), results.read_json(found)):
        yield results.FINDINGS
    speed = summarise_timings(results.read_timings(folder))
    if not _same(speed, results.read_json(folder / results.SPEED)):
        yield results.SPEED


def _same(made: Any, written: Any) -> bool:
    if isinstance(made, dict) and isinstance(written, dict):
        return made.keys() == written.keys() and all(
            _same(value, written[name]) for name, value in made.items()
        )
    if isinstance(made, list) and isinstance(written, list):
        return len(made) == len(written) and all(map(_same, made, written))
    if isinstance(made, float):
        return isinstance(written, int | float) and math.isclose(
            made, written, rel_tol=ROUNDING, abs_tol=ROUNDING
        )
    return made == written


def _bare(page: Page) -> Iterator[Figure]:
    referenced = {reference.figure for reference in page.references}
    return (each for each in page.figures if each.needs_reference and each not in referenced)


def _unreferenced(name: str, text: str, figure: Figure) -> Problem:
    return Problem(
        _where(name, text, figure.start),
        f"{figure.text} refers to no result; put <!-- eval: FILE#/POINTER tol=... --> behind it,"
        f" or give the reason in {ALLOWED.as_posix()}",
    )


def _where(name: str, text: str, place: int) -> str:
    return f"{name}:{text.count(chr(10), 0, place) + 1}"


def _within(root: Path, name: str) -> Path:
    """A file of the project.

    Raises:
        InvalidInput: the name leads out of it.
    """
    path = (root / name).resolve()
    if not path.is_relative_to(root.resolve()):
        raise InvalidInput(f"{name} lies outside the project")
    return path
