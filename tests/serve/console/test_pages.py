"""What people do in the console."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from hypermnesia.memory import Memory
from tests.serve.console.conftest import Watched
from tests.serve.console.rows import filled


def said(page: Page, text: str) -> None:
    """The notice on top of the page."""
    expect(page.locator(".said")).to_contain_text(text)


def test_the_first_visit_explains_what_to_do_and_lets_one_do_it(
    visit: Watched, memory: Memory
) -> None:
    """An empty scope, and the first memory in it."""
    page = visit.open()
    expect(page.get_by_role("heading", level=1)).to_have_text("Nothing is remembered here yet")
    expect(page.locator("pre")).to_have_text("hypermnesia mcp")
    page.get_by_label("One fact").fill("We chose NATS.\nIt is small.")
    page.get_by_role("button", name="Remember").click()
    said(page, "Remembered")
    expect(page.locator(".big")).to_have_text("We chose NATS.\nIt is small.")
    (added,) = memory.list().items
    assert added.provenance.source == "console"
    visit.open()
    expect(page.get_by_placeholder("What do you want to know?")).to_be_visible()
    page.get_by_label("One fact").fill("We chose NATS. It is small.")
    page.get_by_text("Date, tags, pin").click()
    page.get_by_label("Tags").fill("bus, billing")
    page.get_by_label("Keep it whatever").check()
    page.get_by_role("button", name="Remember").click()
    expect(page.locator(".above")).to_contain_text("active, pinned")
    expect(page.locator(".above .tag")).to_have_text(["bus", "billing"])


def test_a_search_shows_why_each_hit_stands_where_it_does(visit: Watched, memory: Memory) -> None:
    """Bars and numbers of every channel; filters narrow it."""
    filled(memory)
    page = visit.open("/search")
    page.get_by_label("Question or words").fill("alpha beta")
    page.keyboard.press("Enter")
    best = page.locator(".hit").first
    expect(best).to_contain_text("alpha beta gamma")
    for part in ("meaning", "words", "tokens", "fused", "judge", "salience"):
        expect(best.locator(".bars")).to_contain_text(part)
    best.get_by_text("Numbers").click()
    expect(best.get_by_role("row", name=re.compile("words 1 "))).to_be_visible()
    expect(page.get_by_text("haha")).to_have_count(0)
    page.get_by_text("Filters").click()
    page.get_by_label("low signal").check()
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".hit")).to_have_count(1)
    expect(page.locator(".hit")).to_contain_text("beta haha")
    expect(page.get_by_label("low signal")).to_be_checked()
    page.get_by_label("Tags").fill("nothing has this")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".empty")).to_contain_text("Nothing was found within these filters")


def test_a_memory_shows_its_versions_its_sources_and_its_judgement(
    visit: Watched, memory: Memory
) -> None:
    """And leads to the memories around it."""
    rows = filled(memory)
    page = visit.open(f"/memory?id={rows.old.id}")
    expect(page.locator(".chain li")).to_have_count(2)
    expect(page.locator(".chain li").first).to_contain_text("97% sure (judged)")
    page.get_by_role("link", name="alpha is delta now").click()
    expect(page.locator(".big")).to_have_text("alpha is delta now")
    expect(page.locator(".chain .here")).to_have_text(re.compile("alpha is delta now"))
    visit.open(f"/memory?id={rows.fact.id}")
    expect(page.get_by_text("2.5 of 4")).to_be_visible()
    page.get_by_role("link", name="Ann: alpha is fine").click()
    page.get_by_role("link", name="Ann says that alpha is fine").click()
    page.get_by_role("link", name="a talk of alpha").click()
    expect(page.locator("h2")).to_contain_text(["Part of", "Holds"])


def test_what_was_gated_is_promoted_and_that_undone(visit: Watched, memory: Memory) -> None:
    """One click each way."""
    rows = filled(memory)
    page = visit.open("/review/gate")
    page.get_by_label("All on this page").check()
    page.get_by_role("button", name="Promote").click()
    said(page, "Promoted")
    assert memory.get(rows.gated.id).pinned
    page.get_by_role("button", name="Undo").click()
    said(page, "Back below the gate")
    assert not memory.get(rows.gated.id).pinned


def test_nothing_is_dropped_before_it_was_asked(visit: Watched, memory: Memory) -> None:
    """The page says what goes; only its button erases."""
    rows = filled(memory)
    page = visit.open("/review/gate")
    page.get_by_label("Choose: beta haha").check()
    page.get_by_role("button", name="Drop").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Forget 1 memory?")
    page.get_by_role("link", name="Keep").click()
    expect(page.locator(".big")).to_have_text("beta haha")
    assert memory.get(rows.gated.id).status == "low_signal"
    page.get_by_role("link", name="Forget").click()
    page.get_by_role("button", name="Forget for good").click()
    said(page, "Forgotten for good")
    assert memory.list(status="low_signal").items == ()
    visit.open(f"/forget?id={rows.turn.id}")
    expect(page.get_by_text("Goes with it")).to_be_visible()
    expect(page.get_by_text("Ann says that alpha is fine")).to_be_visible()


def test_a_supersession_is_undone(visit: Watched, memory: Memory) -> None:
    """The old memory is active again, the new one stays."""
    rows = filled(memory)
    page = visit.open("/review/changes")
    expect(page.locator(".change")).to_contain_text("97% judged")
    page.get_by_role("button", name="Bring back").click()
    said(page, "Active again")
    assert memory.get(rows.old.id).status == memory.get(rows.new.id).status == "active"
    expect(page.locator(".empty")).to_be_visible()


def test_a_memory_is_changed_and_the_change_put_back(visit: Watched, memory: Memory) -> None:
    """Text, type, tags and metadata; what was not touched stays."""
    added = memory.add("alpha", tags=["one"], metadata={"n": 1})
    page = visit.open(f"/edit?id={added.id}")
    page.get_by_label("Text").fill("omega")
    page.get_by_label("Type").select_option("decision")
    page.get_by_label("Tags").fill("two, three")
    page.get_by_label("Metadata").fill('{"n": 2}')
    page.get_by_role("button", name="Save").click()
    said(page, "Changed")
    now = memory.get(added.id)
    assert (now.content, now.memory_type, now.tags) == ("omega", "decision", ("two", "three"))
    assert now.metadata == {"n": 2}
    page.get_by_role("button", name="Put back").click()
    expect(page.locator(".big")).to_have_text("alpha")
    assert (memory.get(added.id).tags, memory.get(added.id).metadata) == (("one",), {"n": 1})
    visit.open(f"/edit?id={added.id}")
    page.get_by_label("Metadata").fill("[1")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".lead")).to_contain_text("the metadata is not JSON")
    visit.forgive(422)


def test_the_slider_shows_what_held_on_its_day(visit: Watched, memory: Memory) -> None:
    """Moved by keys; the address keeps the day."""
    filled(memory)
    page = visit.open("/timeline")
    expect(page.locator("#held")).not_to_contain_text("alpha is beta")
    expect(page.locator("#held")).to_contain_text("alpha is delta now")
    page.get_by_role("slider").press("Home")
    expect(page.locator("output")).to_have_text("3 May 2026")
    expect(page.locator("#held")).to_contain_text("alpha is beta")
    expect(page.locator("#held")).not_to_contain_text("alpha is delta now")
    expect(page).to_have_url(re.compile("as_of=2026-05-03"))
    page.reload()
    expect(page.locator("output")).to_have_text("3 May 2026")
    page.get_by_label("turns").check()
    expect(page.locator("#held")).to_contain_text("Ann: alpha is fine")


def test_the_hypergraph_opens_level_by_level(visit: Watched, memory: Memory) -> None:
    """From the list and from the buttons; what is closed is gone from the drawing."""
    filled(memory)
    page = visit.open("/graph")
    drawing = page.locator("[data-graph]")
    expect(drawing).to_have_attribute("data-nodes", "1")
    page.get_by_role("button", name="Open: alpha").click()
    expect(drawing).to_have_attribute("data-nodes", "2")
    page.get_by_role("button", name="Open a level").click()
    expect(drawing).to_have_attribute("data-nodes", "4")
    page.get_by_role("button", name="Close all").click()
    expect(drawing).to_have_attribute("data-nodes", "1")
    page.locator("canvas").click()  # a lone topic stands in the middle
    expect(drawing).to_have_attribute("data-nodes", "2")
    page.get_by_role("link", name="a talk of alpha").click()
    expect(page.locator(".big")).to_have_text("a talk of alpha")


def test_activity_and_health_tell_of_now(visit: Watched, memory: Memory) -> None:
    """The feed follows what others do; the check writes and compares."""
    memory.add("alpha")
    page = visit.open("/activity")
    expect(page.locator("tbody tr")).to_have_count(1)
    memory.add("beta")
    expect(page.locator("tbody tr")).to_have_count(2)
    expect(page.locator("tbody tr").first).to_contain_text("beta")
    visit.open("/health")
    page.get_by_role("button", name="Check now").click()
    expect(page.locator(".said")).to_contain_text("Sound")


def test_an_export_comes_back_and_a_conversation_comes_in(
    visit: Watched, memory: Memory, tmp_path: Path
) -> None:
    """Files, through jobs that the page follows."""
    filled(memory, "other")
    page = visit.open("/transfer?scope=other")
    with page.expect_download() as download:
        page.get_by_role("link", name="Export the scope").click()
    download.value.save_as(tmp_path / "export.jsonl")
    memory.forget(scope="other")
    page.get_by_label("Export file").set_input_files(tmp_path / "export.jsonl")
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.locator("[data-jobs]")).to_contain_text("skipped 8")  # what is forgotten stays so
    talk = tmp_path / "Tuesday.txt"
    talk.write_text("Ana: We moved the office to Lisbon.\nBo: When was that?\n", "utf-8")
    page.get_by_label("Conversation file").set_input_files(talk)
    page.get_by_role("button", name="Take in").click()
    expect(page.get_by_role("link", name="See it as a hypergraph")).to_be_visible()
    turns = memory.list(scope="other", levels="turn").items
    assert {turn.provenance.session_id for turn in turns} == {"Tuesday"}


def test_consent_is_given_at_once_and_withdrawn_after_a_question(
    visit: Watched, memory: Memory
) -> None:
    """Withdrawing drops what waits, so the page asks."""
    memory.add("alpha")
    page = visit.open("/corpus")
    page.get_by_role("button", name="Agree").click()
    said(page, "Consent given")
    assert memory.corpus_consent().given
    page.get_by_role("link", name="Withdraw").click()
    page.get_by_role("link", name="Keep").click()
    assert memory.corpus_consent().given
    page.get_by_role("link", name="Withdraw").click()
    page.get_by_role("button", name="Withdraw").click()
    said(page, "Consent withdrawn")
    assert not memory.corpus_consent().given


def test_one_scope_is_chosen_and_kept(visit: Watched, memory: Memory) -> None:
    """Links and forms stay within it."""
    memory.add("alpha", scope="a & b")
    page = visit.open()
    page.locator("summary", has_text="scope").click()
    page.locator("#menu").get_by_role("link", name="a & b").click()
    expect(page.locator(".memories")).to_contain_text("alpha")
    page.get_by_role("link", name="Timeline").click()
    expect(page.locator("#held")).to_contain_text("alpha")
    page.get_by_role("link", name="Hypermnesia").click()
    page.get_by_label("One fact").fill("beta")
    page.get_by_role("button", name="Remember").click()
    said(page, "Remembered")
    assert {node.content for node in memory.list(scope="a & b")} == {"alpha", "beta"}
