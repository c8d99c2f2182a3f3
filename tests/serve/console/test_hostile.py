"""Whatever is remembered, no page runs it."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from hypermnesia.memory import Memory
from tests.serve.console.conftest import Watched
from tests.serve.console.rows import filled

BAIT = (
    '<script>window.caught=1</script><img src=x data-caught onerror="window.caught=1">'
    "\"'><svg data-caught onload=window.caught=1></svg>{{ 7*7 }}${window.caught=1}"
    "</textarea></title></pre><a data-caught href=javascript:window.caught=1>x</a>\u2028`"
)
EXTRAS: dict[str, Any] = {
    "tags": (BAIT[:100], '"onfocus=window.caught=1 autofocus x="'),
    "metadata": {'"><b data-caught>': BAIT, "deep": [BAIT]},
    "judge": '"><b data-caught>',
}
SCOPE = "\"><b data-caught onmouseover=window.caught=1>'&scope=x"
WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (e) => violations.push(e.violatedDirective));
"""


@pytest.fixture
def hostile(visit: Watched, memory: Memory) -> list[str]:
    """Paths of pages that show hostile rows of a hostile scope."""
    visit.page.add_init_script(WATCH)
    named = f"scope={quote(SCOPE)}"
    paths = filled(memory, SCOPE, BAIT, EXTRAS).paths()
    inside = [f"{path}{'&' if '?' in path else '?'}{named}" for path in paths]
    return [*inside, f"/search?q={quote(BAIT)}", f"?scope={quote(BAIT)}", f"/{quote(BAIT)}"]


def test_no_page_runs_what_it_shows(visit: Watched, hostile: list[str]) -> None:
    """Texts, tags, metadata, provenance, reasons and names of scopes, on every page."""
    for path in hostile:
        page = visit.open(path)
        assert page.locator("main").count() == 1, path
        found = page.evaluate(
            "[window.caught ?? null, violations, document.querySelectorAll('[data-caught]').length]"
        )
        assert found == [None, [], 0], path
    visit.forgive(404, 422)


def test_what_scripts_put_into_a_page_runs_no_more_than_the_page(
    visit: Watched, hostile: list[str]
) -> None:
    """The drawing, the slider and the feed put in what the service says later."""
    del hostile
    page = visit.open(f"/graph?scope={quote(SCOPE)}")
    page.get_by_role("button", name="Open: alpha").click()
    page.get_by_role("button", name="Open: a talk of alpha").click()
    page.get_by_role("link", name="Ann: alpha is fine").wait_for()
    visit.open(f"/timeline?scope={quote(SCOPE)}")
    page.get_by_role("slider").press("Home")
    page.get_by_role("heading", name="May 2026").wait_for()
    assert page.evaluate("document.querySelectorAll('[data-caught]').length") == 0
    assert page.evaluate("[window.caught ?? null, violations]") == [None, []]
