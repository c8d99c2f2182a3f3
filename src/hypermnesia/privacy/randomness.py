"""Strings that look drawn at random, near a word that says they are secret."""

from __future__ import annotations

from collections.abc import Iterator

from hypermnesia.privacy.plain import Plain
from hypermnesia.privacy.plausible import is_type_name
from hypermnesia.privacy.rule import START, Rule, regex_of
from hypermnesia.privacy.scan import Finding, compiled, is_placeholder

NEAR = 80
"""Characters before a string in which a credential word is looked for."""
_HARMLESS = (
    r"(?i)sha-?\d{1,3}|checksum|digest|fingerprint|commit|integrity|etag|hash|nonce|revision|uuid"
    r"|public[ _-]?key|ssh-|certificate|base64|request[ _-]?id|trace"
)
_WORD = (
    r"(?i)(?:password|passwort|passphrase|secret|token|credential|api[ _-]?key|access[ _-]?key"
    r"|private[ _-]?key|signing[ _-]?key|encryption[ _-]?key|auth[ _-]?key)"
)


def _is_random(value: str) -> bool:
    """Capitals, small letters and digits mixed as chance does it, not as names do."""
    if is_type_name(value):
        return False
    kinds = (str.isupper, str.islower, str.isdigit)
    if not all(any(kind(char) for char in value) for kind in kinds):
        return False
    runs = compiled(r"[A-Z]+|[a-z]+|\d+|[^A-Za-z\d]+").findall(value)
    # Of 62 equally likely characters, the kind changes after six of ten; names have long runs.
    return len(runs) * 3 >= len(value) and not is_placeholder(value)


RANDOM = Rule(
    "high-entropy",
    "entropy",
    ("passw", "passphrase", "secret", "token", "credential", "key"),
    rf"{START}([A-Za-z0-9+/_-]{{20,}}={{0,2}})",
    floor=3.8,
    check=_is_random,
    sure=False,
    matches=("The token is in my notes, here it goes again\n«<w32>»",),
    misses=(
        "the secret is in src/auth/Token2Validator/handlersV3/LoginController",
        "token sha256 <h64>",
        "the key is an MLKEM768X25519PrivateKey",
        "the key UserAccountRepositoryV2FactoryBean",
    ),
)


def find_random(plain: Plain) -> Iterator[Finding]:
    """Random strings with a credential word in the ``NEAR`` characters before them."""
    if not regex_of(_WORD).search(plain.data):
        return
    for start, end in RANDOM.spans(plain.data):
        value = plain.text[start:end]
        if not RANDOM.accepts(value):
            continue
        before = plain.text[max(0, start - NEAR) : start]
        if compiled(_WORD).search(before) and not compiled(_HARMLESS).search(before):
            yield Finding(RANDOM.name, start, end)
