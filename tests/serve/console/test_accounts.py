"""Who signed in makes tokens, sees what they are used for, and revokes them."""

from __future__ import annotations

from datetime import UTC, datetime

import httpx2
from playwright.sync_api import Page, expect

from hypermnesia.memory import Memory
from hypermnesia.models.http import tls_context
from hypermnesia.serve.accounts import administration
from hypermnesia.serve.accounts.administration import Changes
from hypermnesia.serve.accounts.quota import Plans
from tests.serve.console.conftest import Watched
from tests.serve.console.service import WAIT
from tests.serve.console.test_standards import AXE, violations

NAME = '<b data-caught onclick="window.caught=1">ann'
PASSWORD = "a password of many words"
LABEL = "</td><script>window.caught=1</script><i data-caught>"


def kept(page: Page) -> None:
    """The page keeps to WCAG, and nothing hostile on it ran."""
    assert violations(page) == []
    assert page.evaluate("[window.caught ?? null, document.querySelector('[data-caught]')]") == [
        None,
        None,
    ]


def test_tokens_are_made_counted_and_revoked(visit: Watched, memory: Memory) -> None:
    """The secret is shown once; names and labels are shown as they are, and run nowhere."""
    store, changes = memory.accounts, Changes(admin=True, allowance=4)
    administration.create(store, Plans({}), datetime.now(UTC), NAME, changes, PASSWORD)
    visit.page.add_init_script(AXE)
    page = visit.open("/access")
    page.get_by_label("Name").fill(NAME)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("What it is for").fill(LABEL)
    page.get_by_label("Only for reading").check()
    page.get_by_role("button", name="Make a token").click()
    secret = page.locator(".secret").inner_text()
    expect(page.get_by_text(LABEL)).to_be_visible()
    kept(page)
    with httpx2.Client(verify=tls_context(), base_url=visit.address, timeout=WAIT) as client:
        client.headers["Authorization"] = f"Bearer {secret}"
        statuses = [client.post("/api/v1/search", json={"query": "a"}).status_code for _ in "12345"]
    assert statuses == [200] * 4 + [429]
    visit.open("/usage")
    expect(page.locator(".quota")).to_contain_text("4 of 4 requests")
    expect(page.locator(".quota")).to_contain_text("100% reached")
    expect(page.locator(".chart title").last).to_contain_text("4 answered, 1 refused")
    kept(page)
    visit.open("/access")
    expect(page.locator(".secret")).to_have_count(0)
    page.get_by_role("link", name="Revoke").click()
    kept(page)
    page.get_by_role("button", name="Revoke").click()
    expect(page.locator(".said")).to_contain_text("revoked")
    expect(page.get_by_role("row").filter(has_text=LABEL)).to_contain_text("revoked just now")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
    visit.open("")
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
