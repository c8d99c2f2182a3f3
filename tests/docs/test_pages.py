"""Every page can be followed: links lead somewhere, and the README's example runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_within_the_project_lead_somewhere(page: Path) -> None:
    """A dead link is the first thing a newcomer finds."""
    links = re.findall(r"\]\((?!https?://)([^)#]+)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_page_is_reachable_from_the_readme() -> None:
    """Documentation that nothing links to is not read."""
    reached, todo = set[Path](), [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        if page in reached or page.suffix != ".md" or not page.exists():
            continue
        reached.add(page)
        links = re.findall(r"\]\((?!https?://)([^)#]+)", page.read_text("utf-8"))
        for link in links:
            target = (page.parent / link).resolve()
            todo += sorted(target.glob("*.md")) if target.is_dir() else [target]
    assert [
        page for page in PAGES if page.is_relative_to(ROOT / "docs") and page not in reached
    ] == []


def test_the_python_example_of_the_readme_says_what_its_comments_claim(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Run as it stands: the newer memory replaces the older, the past stays readable."""
    (example,) = re.findall(
        r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL
    )
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "README.md", "exec"), {})
    first, *rest = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"active \w+ \('[0-9a-f-]{36}',\)", first)
    assert "moved from Kafka to NATS" in rest[0]
    assert "Billing uses Kafka" in rest
