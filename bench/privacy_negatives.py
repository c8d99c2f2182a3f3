"""Ordinary technical text that holds no secret: what redaction must leave alone.

Two halves again: lines made from templates, and lines of the standard library of the Python
that runs this (its source is at hand everywhere, speaks of passwords, tokens and keys, and was
written by others). The library's tests are left out, for they hold keys and passwords.
"""

from __future__ import annotations

import random
import re
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from bench.privacy_data import SEED, drawn

LIBRARY_LINES = 2_500
"""Lines of the library in each half: as many as may be that speak of credentials, then others."""
_WORDS = re.compile(r"(?i)passw|token|secret|credential|auth|\bkeys?\b|\bpins?\b|\bcodes?\b|login")
_LEFT_OUT = {"test", "tests", "idlelib", "lib2to3", "site-packages", "turtledemo", "pydoc_data"}

TEMPLATES = (
    (
        "commit <h40>",
        "Merge <h7> into main",
        "request <h8>-<h4>-<h4>-<h4>-<h12> took 35 ms",
        "sha256:<h64>",
        "image acme/api@sha256:<h64>",
        "integrity sha512-<b86>==",
        "upgrade to v<d1>.<d2>.<d1>",
        "tests/test_auth.py::test_token_<d3> PASSED",
        "the value is wrapped in base64",
        "the token authentication is described in RFC 6750",
        "def check_password(password: str, hashed: str) -> bool:",
        "password = getpass.getpass()",
        'api_key = os.environ["API_KEY"]',
        "max_tokens: <d4>",
        "error code <d4>",
        "the cache key is user:<d6>",
        "ticket ABC-<d4> is done",
        "invoice INV-<d4> over <d3> euros",
        "pin numpy==<d1>.<d2>.<d1>",
        "trace id <h32>",
        "the password policy asks for <d2> characters",
        "http://localhost:<d4>/login",
        "token_count=<d4>",
        'ETag: "<h32>"',
        "node <d2> has <d3> GB of memory",
    ),
    (
        "index <h7>..<h7> 100644",
        "fixed by <h40>, see PR #<d4>",
        "session <h8>-<h4>-<h4>-<h4>-<h12> was closed",
        "md5 <h32>  archive-<d1>.<d2>.tar.gz",
        '"resolved": "https://registry.npmjs.org/acme/-/acme-<d1>.<d1>.<d1>.tgz",',
        '"integrity": "sha512-<b86>=="',
        'requires-python = ">=3.<d2>"',
        "FAILED tests/api/test_login.py::test_wrong_password[case-<d2>]",
        "the key is derived with PBKDF2 and <d6> rounds",
        "if not secrets.compare_digest(token, expected):",
        "class PasswordResetTokenGenerator:",
        "password: ${{ secrets.NPM_TOKEN }}",
        "api_key: str | None = None",
        "the model reads <d6> tokens a second",
        "HTTP status code 401, retry after <d2> s",
        "partition key tenant_<d3>, sort key created_at",
        "see issue #<d5> and JIRA-<d4>",
        "order <d8> left the warehouse",
        "gpio pin <d2> is an output",
        "span_id=<h16> trace_id=<h32>",
        "passwords are hashed with argon2id, <d1> iterations",
        "listening on 0.0.0.0:<d4>",
        "prompt_tokens: <d5>, completion_tokens: <d4>",
        "Last-Modified: Tue, 0<d1> May 2025 10:1<d1>:00 GMT",
        "room <d4> on floor <d1>",
        "fingerprint SHA256:<b43>",
        "the secret santa list has <d2> names",
        "uid=1000(ana) gid=1000(ana) groups=<d4>(docker)",
        "zip code <d5>, area code <d3>",
        "the login page takes <d3> ms to load",
        "the code path in line <d4> is never taken",
    ),
)  # fmt: skip


def negatives(half: int) -> list[str]:
    """Lines without a secret, some 3,000 in each half."""
    rng = random.Random(SEED + 10 + half)
    made = [drawn(template, rng) for template in TEMPLATES[half] for _ in range(20)]
    lines = sorted(set(_library(half)))
    rng.shuffle(lines)
    about = [line for line in lines if _WORDS.search(line)][: LIBRARY_LINES * 2 // 3]
    other = [line for line in lines if not _WORDS.search(line)][: LIBRARY_LINES - len(about)]
    return [*made, *about, *other]


def _library(half: int) -> Iterator[str]:
    """Lines of more than 20 characters from every second file of the standard library."""
    folder = Path(sysconfig.get_paths()["stdlib"])
    files = [
        f for f in sorted(folder.rglob("*.py")) if _LEFT_OUT.isdisjoint(f.relative_to(folder).parts)
    ]
    for path in files[half::2]:
        for line in path.read_text("utf-8", errors="replace").splitlines():
            if 20 < len(line) < 200:
                yield line
