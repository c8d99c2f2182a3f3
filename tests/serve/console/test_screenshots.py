"""The pictures of the documentation, which are made on request only.

``HYPERMNESIA_SCREENSHOTS=docs/images pytest tests/serve/console/test_screenshots.py``
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from hypermnesia.cli.demo import history
from hypermnesia.memory import Memory
from tests.serve.console.service import WAIT, served

FOLDER = os.environ.get("HYPERMNESIA_SCREENSHOTS")
TALK = Path(__file__).parent / "talk.jsonl"


@pytest.fixture
def lived_in(judged_memory: Memory) -> Memory:
    """The project history of the demo, and what its people talked about."""
    for item in history():
        judged_memory.add(item["content"], at=item["at"], tags=item["tags"])
    lines = TALK.read_text("utf-8").splitlines()
    judged_memory.ingest([json.loads(line) for line in lines], scope="talk")
    return judged_memory


@pytest.fixture
def address(lived_in: Memory) -> Iterator[str]:
    """Its console."""
    with served(lived_in) as found:
        yield f"{found}/console"


@pytest.mark.skipif(FOLDER is None, reason="pictures are made on request: HYPERMNESIA_SCREENSHOTS")
def test_the_pictures_of_the_documentation_are_made(browser: Browser, address: str) -> None:
    """In light and dark, on a desk and on a phone."""
    shots = {
        "search": (_asked, "light", 1280),
        "memory": (_found, "light", 1280),
        "timeline": (_spring, "light", 1280),
        "hypergraph": (_opened, "dark", 1280),
        "phone": (_asked, "dark", 390),
    }
    for name, (act, scheme, width) in shots.items():
        size = ViewportSize(width=width, height=800)
        context = browser.new_context(viewport=size, reduced_motion="reduce")
        page = context.new_page()
        page.set_default_timeout(WAIT * 1000)
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        page.goto(address)
        act(page, address)
        page.evaluate("document.fonts.ready")
        page.screenshot(path=f"{FOLDER}/console-{name}.png")
        context.close()


def _asked(page: Page, address: str) -> None:
    page.goto(f"{address}/search?q=what+carries+billing+events+now%3F")
    expect(page.locator(".hit").first).to_be_visible()


def _found(page: Page, address: str) -> None:
    _asked(page, address)
    page.locator(".hit a").first.click()
    expect(page.locator(".chain")).to_be_visible()


def _spring(page: Page, address: str) -> None:
    page.goto(f"{address}/timeline?as_of=2026-03-01")
    expect(page.locator("#held")).to_contain_text("February 2026")


def _opened(page: Page, address: str) -> None:
    page.goto(f"{address}/graph?scope=talk")
    drawing = page.locator("[data-graph]")
    for _ in range(2):
        before = drawing.get_attribute("data-nodes")
        page.get_by_role("button", name="Open a level").click()
        expect(drawing).not_to_have_attribute("data-nodes", before or "")
