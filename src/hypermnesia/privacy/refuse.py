"""Content that is not stored at all."""

from __future__ import annotations

from hypermnesia.errors import Refused
from hypermnesia.privacy import abuse, pem
from hypermnesia.privacy.scan import find_formats, fold


def find_prohibited(text: str) -> str | None:
    """Name of the first refusal rule that a text breaks, ``None`` if it may be stored.

    Refused are live provider credentials (the rules marked ``live`` in
    :mod:`hypermnesia.privacy.rules`), private-key blocks and sexual abuse of children.
    Passwords in prose, test keys, JWTs and URL credentials are stored, and masked
    at recall by :func:`hypermnesia.privacy.redact`.
    """
    found = next(pem.find_private_keys(text), None) or next(find_formats(text, live=True), None)
    if found is not None:
        return found.rule
    return abuse.RULE if abuse.is_abuse(fold(text)) else None


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
