"""Every page keeps WCAG 2.2 AA, in light and in dark."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

from hypermnesia.memory import Memory
from tests.serve.console.conftest import Watched
from tests.serve.console.rows import filled

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text("utf-8")
RUN = "rules => axe.run({runOnly: rules, resultTypes: ['violations']})"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def violations(page: Page) -> list[str]:
    """What axe-core finds on a page in light, and in dark of the contrast, which alone differs.

    The page must have been opened with :data:`AXE` as an init script.
    """
    found: list[str] = []
    for scheme, rules in (("light", RULES), ("dark", ["color-contrast"])):
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        for violation in page.evaluate(RUN, rules)["violations"]:
            found += [f"{scheme}: {violation['id']}: {n['html'][:200]}" for n in violation["nodes"]]
    return found


def test_every_page_keeps_to_wcag_in_both_schemes(visit: Watched, memory: Memory) -> None:
    """As far as axe-core can tell."""
    visit.page.add_init_script(AXE)
    paths = filled(memory).paths()
    found = {path: violations(visit.open(path)) for path in paths}
    visit.forgive(404)
    assert not any(found.values()), {path: faults for path, faults in found.items() if faults}
