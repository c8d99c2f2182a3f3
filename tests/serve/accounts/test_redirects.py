"""Where clients may send people."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.serve.accounts.oauth import redirects


@pytest.mark.parametrize(
    "uri",
    [
        "https://a.example/cb", "https://a.example:8443/cb?x=1", "http://127.0.0.1:7777/cb",
        "http://localhost/cb", "http://[::1]:1/cb", "cursor://anysphere.cursor/cb",
        "com.example.app:/cb", "vscode://x/y",
    ],
)  # fmt: skip
def test_usual_redirects_are_acceptable(uri: str) -> None:
    """Web clients, programs that listen, programs with a scheme of their own."""
    assert redirects.acceptable(uri)
    assert redirects.matches(uri, uri)


@pytest.mark.parametrize(
    "uri",
    [
        "", "/cb", "//a.example/cb", "a.example", "http://a.example/cb", "https:///cb", "https:",
        "http://127.0.0.1.evil.example/cb", "http://localhost.evil.example/", "https://a\\@b/cb",
        "https://u:p@a.example/", "https://a.example/#f", "https://a.example/#", "https://a:x/",
        "javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "file:///x", "blob:x",
        "view-source:x", "ws://127.0.0.1/", " https://a.example/", "https://a.example/\n",
        "https://a;script-src/", "https://a,b/", "app://a;b/",
        "https://é.example/", "https://a.example/é", "https://[::1", "1app:/cb",
    ],
)  # fmt: skip
def test_others_are_not(uri: str) -> None:
    """Whatever runs by itself, is read along the way, or is read in two ways."""
    assert not redirects.acceptable(uri)


@pytest.mark.parametrize(
    ("asked", "registered"),
    [
        ("https://a.example:8443/cb", "https://a.example/cb"),
        ("https://A.example/cb", "https://a.example/cb"),
        ("https://a.example/cb/", "https://a.example/cb"),
        ("https://a.example/%63b", "https://a.example/cb"),
        ("http://127.0.0.1:1/cb?x", "http://127.0.0.1/cb"),
        ("http://127.0.0.1:1/other", "http://127.0.0.1/cb"),
        ("http://localhost:1/cb", "http://127.0.0.1/cb"),
        ("http://u@127.0.0.1:1/cb", "http://127.0.0.1/cb"),
        ("http://127.0.0.1:1@evil.example/cb", "http://127.0.0.1/cb"),
        ("http://127.0.0.1:1\\@evil.example/cb", "http://127.0.0.1/cb"),
        ("http://127.0.0.1:x/cb", "http://127.0.0.1/cb"),
        ("app://x:1/cb", "app://x/cb"),
    ],
)
def test_a_redirect_is_the_registered_one_to_the_letter(asked: str, registered: str) -> None:
    """But for the port on this machine."""
    assert not redirects.matches(asked, registered)
    assert redirects.matches("http://127.0.0.1:1/cb", "http://127.0.0.1/cb")


@given(st.text(), st.text())
def test_anything_can_be_asked(asked: str, registered: str) -> None:
    """Nothing raises, and what matches is acceptable or the same."""
    redirects.acceptable(asked)
    if redirects.matches(asked, registered):
        assert asked == registered or redirects.acceptable(asked)
