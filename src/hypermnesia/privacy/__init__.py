"""What may not be stored, and what may not be shown.

:func:`guard` refuses live credentials, private keys and abuse before anything is written;
:func:`screen` deals with other secrets as the settings say; :func:`redact` masks every secret on
the way out, :func:`redact_object` does so in JSON-like values.
"""

from __future__ import annotations

from hypermnesia.privacy.redact import Redaction, redact
from hypermnesia.privacy.refuse import find_prohibited, guard
from hypermnesia.privacy.scan import Finding
from hypermnesia.privacy.screen import (
    Screened,
    StoredSecrets,
    guard_labels,
    masked,
    screen,
)
from hypermnesia.privacy.walk import Examined, examine, redact_object

__all__ = [
    "Examined",
    "Finding",
    "Redaction",
    "Screened",
    "StoredSecrets",
    "examine",
    "find_prohibited",
    "guard",
    "guard_labels",
    "masked",
    "redact",
    "redact_object",
    "screen",
]
