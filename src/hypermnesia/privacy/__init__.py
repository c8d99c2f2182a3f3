"""What may not be stored, and what may not be shown.

:func:`guard` refuses live credentials, private keys and abuse before anything is written;
:func:`redact` masks every other secret on the way out, :func:`redact_object` does so in
JSON-like values.
"""

from __future__ import annotations

from hypermnesia.privacy.redact import Redaction, redact
from hypermnesia.privacy.refuse import find_prohibited, guard
from hypermnesia.privacy.scan import Finding
from hypermnesia.privacy.walk import redact_object

__all__ = ["Finding", "Redaction", "find_prohibited", "guard", "redact", "redact_object"]
