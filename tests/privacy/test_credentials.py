"""Secrets that the words around them give away."""

from __future__ import annotations

import pytest

from hypermnesia.privacy import redact
from tests.privacy.prose import HARMLESS

SPOKEN = (
    ("the wifi password is sunflower42", "sunflower42"),
    ("The wifi password is sunflower.", "sunflower"),
    ("door code 4821", "4821"),
    ("the door code is 4821, ring twice", "4821"),
    ("passkey is 71432", "71432"),
    ("The gate code is #5590* after nine", "#5590*"),
    ("the alarm code at the lake house is 9917", "9917"),
    ("the code to the garage is 77310", "77310"),
    ("my bank PIN is 0420", "0420"),
    ("door code is four eight two one", "four eight two one"),
    ("safe combination 08-19-33", "08-19-33"),
    ("verification code 482913", "482913"),
    ("Your OTP is 992201", "992201"),
    ("4821 is the door code", "4821"),
    ("2231 opens the garage door", "2231"),
    ("four nine one two is the gate code", "four nine one two"),
    ("use Tr0ub4dor&3 as the admin password", "Tr0ub4dor&3"),
    ("'Tiger!Cub8' is the new password for Jenkins", "Tiger!Cub8"),
    ("backup codes are 8347-2391, 5521-0087 and 9912-3321", "9912-3321"),
    ("our door code used to be 1234 but is now 8472", "8472"),
    ("password changed from Winter2023! to Spring2024!", "Spring2024!"),
    ("wifi password is correct-horse-battery-staple", "correct-horse-battery-staple"),
    ("the passphrase is correct horse battery staple", "correct horse battery staple"),
    ("use the passphrase 'purple monkey dishwasher 9'", "purple monkey dishwasher 9"),
    ("seed phrase: " + "abandon " * 11 + "about", "abandon about"),
    ("Login for the demo tenant: demo@acme.io / Demo!2025", "Demo!2025"),
    ("the creds are admin/Sup3rman", "Sup3rman"),
    ("user root, password admin123", "admin123"),
)

ASSIGNED = (
    ("Password: Tr0ub4dor&3", "Tr0ub4dor&3"),
    ("password P@ssw0rd!", "P@ssw0rd!"),
    ("my password is p@ss!word", "p@ss!word"),
    ("DB_PASSWORD=s3cr3tpw", "s3cr3tpw"),
    ("PGPASSWORD=letmein99 psql", "letmein99"),
    ("dbPassword: swordfish\n", "swordfish"),
    ('{"user": "bob", "password": "hunter22"}', "hunter22"),
    ('{"password": "a\\"b12!x"}', "b12!x"),
    ('{\\"password\\":\\"hunter22\\"}', "hunter22"),
    ("password:\n  S3condLine!", "S3condLine!"),
    ("**Password:** hunter22", "hunter22"),
    ("| root | password | zQ19!mmb |", "zQ19!mmb"),
    ("<password>hunter22</password>", "hunter22"),
    ("Server=db;User Id=sa;Password=SqlS3rver!;Encrypt=true", "SqlS3rver!"),
    ("CREATE USER ana IDENTIFIED BY 'Qwe123!x'", "Qwe123!x"),
    ("api_key = 'abc123def456ghi7'", "abc123def456ghi7"),
    ("apiKey: a1b2c3d4e5f6", "a1b2c3d4e5f6"),
    ("X-Api-Key: 8d7f6g5h4j3k", "8d7f6g5h4j3k"),
    ("https://acme.io/?accessToken=abc123def456&x=1", "abc123def456"),
    ("the client secret becomes Zx81kkP0q", "Zx81kkP0q"),
    ("rotated the api key to 9f8e7d6c5b4a", "9f8e7d6c5b4a"),
    ("the bearer token is abcd1234efgh", "abcd1234efgh"),
    ("deploy token abc123XYZ789", "abc123XYZ789"),
    ("the OpenWeather key: b1b15e88fa797225412429c1c50c122a", "b1b15e88fa797225412429c1c50c122a"),
    ("the license key is ABCD1-EFGH2-IJKL3", "ABCD1-EFGH2-IJKL3"),
    ("password for the staging database is Zebra77x", "Zebra77x"),
    ("password (prod): N1ghtOwl", "N1ghtOwl"),
    ("Password rotated, new value Glacier_88", "Glacier_88"),
    ('client.setPassword("J4vaBean")', "J4vaBean"),
    ("recovery code 7k2m-9qxp for GitHub", "7k2m-9qxp"),
    ("password=urlP%40ss1&next=1", "urlP%40ss1"),
)

OTHER_LANGUAGES = (
    ("Das Passwort lautet Winter2024!", "Winter2024!"),
    ("Kennwort: Sommer#99", "Sommer#99"),
    ("le mot de passe est Soleil42", "Soleil42"),
    ("la contrase\u00f1a es Verano99!", "Verano99!"),
    ("la contrasen\u0303a es Verano99!", "Verano99!"),
    ("a senha do banco \u00e9 Br4sil2024", "Br4sil2024"),
    ("het wachtwoord is Tulp3n!", "Tulp3n!"),
    ("\u043f\u0430\u0440\u043e\u043b\u044c: Zima2024", "Zima2024"),
    ("\u5bc6\u7801\u662fabc12345\uff0c\u8bf7\u52ff\u5916\u4f20", "abc12345"),
    ("WiFi\u5bc6\u7801\uff1ahappy2024", "happy2024"),
    ("\u30d1\u30b9\u30ef\u30fc\u30c9\u306ftokyo2020!\u3067\u3059", "tokyo2020!"),
    ("\ube44\ubc00\ubc88\ud638: hangul77", "hangul77"),
)


@pytest.mark.parametrize(("text", "secret"), [*SPOKEN, *ASSIGNED, *OTHER_LANGUAGES])
def test_a_secret_after_its_word_is_masked(text: str, secret: str) -> None:
    """Spoken, assigned, quoted, in other languages; the words around it stay."""
    redaction = redact(text)
    assert secret not in redaction.text
    assert {finding.rule for finding in redaction.findings} <= {"credential", "spoken-secret"}
    assert redaction.text.startswith(text[: redaction.findings[0].start])


@pytest.mark.parametrize("text", HARMLESS)
def test_ordinary_prose_survives_unchanged(text: str) -> None:
    """Vocabulary, versions, dates, identifiers, code and quantities are no secrets."""
    assert redact(text).text == text


@pytest.mark.parametrize("link", ["is", "to", "new value", "becomes", "rotated to", "=", ":", ":="])
def test_the_linking_words_of_the_specification_lead_to_the_value(link: str) -> None:
    """At most a few of them stand between keyword and value."""
    assert "Kx81-mmQ2" not in redact(f"the client secret {link} Kx81-mmQ2 since May").text


@pytest.mark.parametrize("value", ["hunter2", "a1" * 60, "a1" * 500])
def test_short_and_long_values_are_masked_whole(value: str) -> None:
    """A value longer than the specification's 120 characters leaves no tail behind."""
    assert redact(f"password: {value} ok").text == "password: [redacted:credential] ok"


def test_bare_digits_are_a_secret_only_for_what_opens_something() -> None:
    """Tokens are counted, doors are opened."""
    assert redact("token: 71432").text == "token: 71432"
    assert redact("passcode: 71432").text == "passcode: [redacted:credential]"


def test_a_secret_is_masked_wherever_the_text_repeats_it() -> None:
    """Also where no word gives it away."""
    text = "echo c0rrectHorse | sudo -S true  # the password is c0rrectHorse"
    assert "c0rrectHorse" not in redact(text).text


def test_the_punctuation_of_the_sentence_stays() -> None:
    """A full stop is not part of the password; an exclamation mark may be."""
    assert redact("(password: hunter22).").text == "(password: [redacted:credential])."
    assert redact("password: hunter22!").text == "password: [redacted:credential]"
