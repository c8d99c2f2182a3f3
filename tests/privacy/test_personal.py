"""Personal data, masked on request."""

from __future__ import annotations

import pytest

from hypermnesia.privacy import redact
from tests.privacy.prose import HARMLESS, HARMLESS_PERSONAL

PERSONAL = (
    ("email", "write to {} please", "ana.lopez+news@mail.example.co.uk"),
    ("email", "({})", "bob@example.com"),
    ("phone", "call {} now", "+49 30 1234567"),
    ("phone", "call {}.", "(415) 555-2671"),
    ("phone", "{} is the office", "415-555-2671"),
    ("phone", "from Berlin 030 is {}", "030 1234567"),
    ("phone", "my phone number is {}", "5552671234"),
    ("phone", "WhatsApp: {}", "0049 171 1234567"),
    ("card", "paid with {}", "4111 1111 1111 1111"),
    ("card", "paid with {} 12/27", "4111111111111111"),
    ("card", "amex {} ok", "3782-822463-10005"),
    ("iban", "IBAN {} BIC COBADEFF", "DE89 3704 0044 0532 0130 00"),
    ("iban", "to {}", "GB29NWBK60161331926819"),
    ("ip-address", "from {} at noon", "203.0.113.7"),
    ("ip-address", "from {}.", "10.1.2.3"),
    ("ip-address", "from {} at noon", "2001:db8::8a2e:370:7334"),
)


@pytest.mark.parametrize(("rule", "template", "value"), PERSONAL)
def test_personal_data_is_masked_on_request(rule: str, template: str, value: str) -> None:
    """And left alone otherwise."""
    text = template.format(value)
    assert redact(text).text == text
    assert redact(text, personal=True).text == template.format(f"[redacted:{rule}]")


@pytest.mark.parametrize("text", HARMLESS_PERSONAL)
def test_numbers_that_fail_their_check_stay(text: str) -> None:
    """Luhn, mod 97, version numbers, loopback, paths of programs."""
    assert redact(text, personal=True).text == text


@pytest.mark.parametrize("text", [text for text in HARMLESS if "@" not in text])
def test_prose_survives_the_personal_rules_too(text: str) -> None:
    """Order numbers, commits and times are not phone numbers."""
    assert redact(text, personal=True).text == text


def test_two_numbers_side_by_side_are_both_found() -> None:
    """The reach of the first must not hide the second."""
    cards = "4111 1111 1111 1111 5500 0000 0000 0004"
    ibans = "DE89370400440532013000 GB29NWBK60161331926819"
    assert redact(cards, personal=True).text == "[redacted:card] [redacted:card]"
    assert redact(ibans, personal=True).text == "[redacted:iban] [redacted:iban]"
