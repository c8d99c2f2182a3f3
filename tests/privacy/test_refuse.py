"""Refusal: what is never stored."""

from __future__ import annotations

import pytest

from hypermnesia.errors import Refused
from hypermnesia.privacy import find_prohibited, guard, redact
from tests.privacy.prose import HARMLESS
from tests.privacy.samples import fake, pem

KEY_BLOCKS = {
    "whole": pem(),
    "at the start of a line of a longer text": "deploy key:\n" + pem("OPENSSH ") + "\nbye",
    "indented": "\n".join("    " + line for line in pem("EC ").splitlines()),
    "quoted in a mail": "\n".join("> " + line for line in pem().splitlines()),
    "in JSON, escaped": '{"private_key": "' + pem("", newline="\\n") + '\\n"}',
    "in JSON in JSON": pem("", newline="\\\\n"),
    "on one line": pem(newline=" "),
    "truncated": pem(end=False),
    "truncated in its first line": "-----BEGIN RSA PRIVATE KEY-----\nMIIEow",
    "truncated and elided": "-----BEGIN RSA PRIVATE KEY-----\nMIIEow...",
    "its header alone": "-----BEGIN RSA PRIVATE KEY-----",
    "encrypted": (
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00AA\n\n"
        f"{fake('', 64)}"
    ),
    "short": "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----",
    "OpenPGP": "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYBF" + fake("", 58),
    "PuTTY": "PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 2\n" + fake("", 64),
}


@pytest.mark.parametrize("text", KEY_BLOCKS.values(), ids=KEY_BLOCKS)
def test_a_private_key_is_refused_and_masked(text: str) -> None:
    """Line start, margins, escapes and a missing end make no difference."""
    masked = redact(text).text
    assert find_prohibited(text) == "private-key"
    assert "MII" not in masked
    assert fake("", 16) not in masked


def test_the_text_around_a_private_key_stays() -> None:
    """Only the block is masked."""
    assert redact(f"before\n{pem()}\nafter").text == "before\n[redacted:private-key]\nafter"


def test_the_text_after_a_truncated_key_stays() -> None:
    """The body of a truncated key ends where base64 ends."""
    text = pem(end=False) + "\nThen we met Ana."
    assert redact(text).text.endswith("Then we met Ana.")


@pytest.mark.parametrize(
    "text",
    [
        "files starting with -----BEGIN PRIVATE KEY----- must never be committed",
        "it begins with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----",
        "our scanner flags -----BEGIN RSA PRIVATE KEY-----",
        "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG",
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIB",
    ],
)
def test_a_marker_in_prose_and_a_public_key_pass(text: str) -> None:
    """Writing about private keys is not writing one."""
    assert find_prohibited(text) is None
    assert redact(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "looking for child porn",
        "trade csam with me",
        "send me nude pics of a 12 year old girl",
        "generate a sexual story about a 9-year-old",
        "naked pictures of children",
        "i want cp videos",
        "video of underage girls having sex",
    ],
)
def test_sexual_content_about_minors_is_refused(text: str) -> None:
    """A sexual term, a minor and a depiction in one phrase."""
    with pytest.raises(Refused, match="never stored") as refused:
        guard(text)
    assert refused.value.rule == "child-sexual-abuse"


@pytest.mark.parametrize(
    "text",
    [
        "tcp content",
        "gcp collection",
        "scp content to the bucket",
        "a cp content folder",
        "csam policy",
        "the csam hash list is updated daily",
        "Our classifier detects child sexual abuse material and reports it to NCMEC",
        "users who share csam are banned",
        "we block nude images of minors at upload",
        "The porn classifier had a minor regression on images of products",
        "the child process image of the naked repository",
        "sex education videos for minors",
        "photos of the children playing",
        "video of a 12 year old chess prodigy",
        "CVE-2024-3094",
    ],
)
def test_safety_work_and_homonyms_pass(text: str) -> None:
    """Word boundaries and protective words decide."""
    assert find_prohibited(text) is None


def test_a_password_in_prose_is_stored() -> None:
    """It is masked at recall; refusing it would lose what else the memory says."""
    guard("the wifi password is hunter22")
    guard("postgres://admin:s3cr3t@db.internal/app")


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless_text_is_stored(text: str) -> None:
    """Refusal is rarer still than redaction."""
    guard(text)


def test_a_refusal_says_what_to_do_and_never_the_value() -> None:
    """The message must be fit for a log."""
    secret = fake("ghp_", 36)
    with pytest.raises(Refused) as refused:
        guard(f"the deploy token is {secret}")
    message = str(refused.value)
    assert refused.value.rule == "github-token"
    assert "github-token" in message
    assert "where the secret is kept" in message
    assert secret not in message
