"""Content that is not stored at all."""

from __future__ import annotations

from hypermnesia.errors import Refused
from hypermnesia.privacy import abuse, pem
from hypermnesia.privacy.plain import Plain
from hypermnesia.privacy.scan import find_tokens


def find_prohibited(text: str) -> str | None:
    """Name of the first refusal rule that a text breaks, ``None`` if it may be stored.

    Refused are live provider credentials (the rules marked ``live`` in
    :mod:`hypermnesia.privacy.table`), private keys and sexual abuse of children. What becomes
    of other secrets is for :func:`hypermnesia.privacy.screen` and, at recall,
    :func:`hypermnesia.privacy.redact`.
    """
    plain = Plain.of(text)
    found = next(pem.find_private_keys(plain.text), None) or next(
        find_tokens(plain, live=True), None
    )
    if found is not None:
        return found.rule
    return abuse.RULE if abuse.is_abuse(plain) else None


def guard(text: str) -> None:
    """Let a text pass, or say why it cannot be stored.

    Raises:
        Refused: the text is prohibited; the error names the rule, never the value.
    """
    rule = find_prohibited(text)
    if rule == abuse.RULE:
        raise Refused(rule, "Refused: sexual content about minors is never stored.")
    if rule is not None:
        raise Refused(
            rule,
            f"Refused: the content holds a secret ({rule}) and was not stored. Remember where the"
            " secret is kept (a vault path, the name of an environment variable), never the secret"
            " itself; if this one was pasted by mistake, rotate it.",
        )
