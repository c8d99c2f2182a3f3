"""A browser for each worker, and a page of it for each test."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, expect, sync_playwright

from hypermnesia.memory import Memory
from tests.serve.console.service import WAIT, served

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """The system's Chromium. CI must have one; elsewhere the tests are skipped without it.

    Playwright's event loop runs in this thread as long as it is open, and no other can: it must be
    closed before tests of other packages run.
    """
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        reason = "no Chromium: apt-get install chromium, or name one in CHROMIUM"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    expect.set_options(timeout=WAIT * 1000)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture
def service(memory: Memory) -> Iterator[str]:
    """The console on the memory of the test; everything in it happens at once."""
    with served(memory) as address:
        yield address


class Watched:
    """A page, with what went wrong in it."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.faults: list[str] = []
        page.set_default_timeout(WAIT * 1000)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("dialog", self._asked)
        page.on("console", self._heard)

    def open(self, path: str = "") -> Page:
        """Go to a page of the console."""
        self.page.goto(f"{self.address}/console{path}")
        return self.page

    def forgive(self, *statuses: int) -> None:
        """Pages of these statuses were asked for on purpose."""
        told = [f"a status of {status} " for status in statuses]
        self.faults = [f for f in self.faults if not any(text in f for text in told)]

    def _asked(self, dialog: Dialog) -> None:
        self.faults.append("a dialog")
        dialog.dismiss()

    def _heard(self, said: ConsoleMessage) -> None:
        if said.type in {"error", "warning"}:
            self.faults.append(said.text)


@pytest.fixture
def visit(browser: Browser, service: str) -> Iterator[Watched]:
    """A page in a browser of its own; the test fails if it complains in any way."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    watched = Watched(context.new_page(), service)
    yield watched
    context.close()
    assert watched.faults == []
