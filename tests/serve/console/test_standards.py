"""Every page keeps WCAG 2.2 AA, in light and in dark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypermnesia.memory import Memory
from tests.serve.console.conftest import Watched
from tests.serve.console.rows import filled

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text("utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def test_every_page_keeps_to_wcag_in_both_schemes(visit: Watched, memory: Memory) -> None:
    """As far as axe-core can tell; in dark only the contrast differs."""
    visit.page.add_init_script(AXE)
    found: list[str] = []
    for path in filled(memory).paths():
        page = visit.open(path)
        page.emulate_media(color_scheme="light")
        found += _violations(path, page.evaluate("tags => axe.run({runOnly: tags})", RULES))
        page.emulate_media(color_scheme="dark")
        found += _violations(path, page.evaluate("axe.run({runOnly: ['color-contrast']})"))
    visit.forgive(404)
    assert found == []


def _violations(path: str, result: dict[str, Any]) -> list[str]:
    return [
        f"{path}: {violation['id']}: {node['html'][:200]}"
        for violation in result["violations"]
        for node in violation["nodes"]
    ]
