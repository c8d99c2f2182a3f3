"""The console for everybody: by keyboard, on small screens, without scripts, in either scheme."""

from __future__ import annotations

from playwright.sync_api import Browser, expect

from hypermnesia.memory import Memory
from tests.serve.console.conftest import Watched
from tests.serve.console.rows import filled
from tests.serve.console.service import WAIT

WIDE = """
[...document.querySelectorAll("body *")]
    .filter((e) => !e.closest("svg") && e.getBoundingClientRect().right > 391)
    .map((e) => e.outerHTML.slice(0, 100))
"""


def test_pages_are_used_with_the_keyboard_alone(visit: Watched, memory: Memory) -> None:
    """The first stop skips the navigation, a slash searches, the hypergraph opens."""
    filled(memory)
    page = visit.open()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the page")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("/")
    page.keyboard.type("alpha beta")
    page.keyboard.press("Enter")
    expect(page.locator(".hit").first).to_contain_text("alpha beta gamma")
    visit.open("/graph")
    page.get_by_role("button", name="Open: alpha").focus()
    page.keyboard.press("Enter")
    expect(page.locator("[data-graph]")).to_have_attribute("data-nodes", "2")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Open: a talk of alpha")).to_be_focused()


def test_a_chosen_scheme_is_kept(visit: Watched, memory: Memory) -> None:
    """Across pages."""
    memory.add("alpha")
    page = visit.open()
    page.get_by_role("button", name="Switch between light and dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.get_by_role("link", name="Timeline").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(15, 20, 19)"


def test_no_page_is_wider_than_a_phone(visit: Watched, memory: Memory) -> None:
    """The menu opens and closes."""
    visit.page.set_viewport_size({"width": 390, "height": 844})
    long = {"tags": ("word" * 20,), "metadata": {"key": "x" * 300}}
    for path in filled(memory, mark="longword" * 30, extras=long).paths():
        page = visit.open(path)
        assert page.evaluate(WIDE) == [], path
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
    visit.forgive(404)
    page = visit.open()
    expect(page.get_by_role("link", name="Timeline")).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("link", name="Timeline").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Timeline")


def test_everything_but_the_drawing_works_without_scripts(
    browser: Browser, service: str, memory: Memory
) -> None:
    """Search, time travel, review."""
    rows = filled(memory)
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.set_default_timeout(WAIT * 1000)
    page.goto(f"{service}/console/timeline")
    page.get_by_label("As it was on").fill("2026-05-04")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("#held")).to_contain_text("alpha is beta")
    page.get_by_role("link", name="Low signal").click()
    page.get_by_label("Choose: beta haha").check()
    page.get_by_role("button", name="Promote").click()
    expect(page.locator(".said")).to_contain_text("Promoted")
    page.get_by_role("link", name="Hypergraph").click()
    page.get_by_role("link", name="alpha", exact=True).click()
    expect(page.get_by_role("link", name="a talk of alpha")).to_be_visible()
    context.close()
    assert memory.get(rows.gated.id).status == "active"
