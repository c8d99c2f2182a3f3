"""What makes two texts the same memory."""

from __future__ import annotations

import hashlib
import unicodedata


def content_hash(scope: str, content: str) -> bytes:
    """Identity of a text within a scope, 32 bytes.

    sha256 over scope and text, the text in NFC, line ends and runs of white space
    collapsed, case folded (DGUI-HyperMem, write path step 3; NFC is ours).
    """
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", content).casefold())
    return hashlib.sha256(f"{scope}\n{' '.join(folded.split())}".encode()).digest()
