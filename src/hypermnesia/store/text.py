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


def turn_hash(scope: str, session: str, turn: str, content: str) -> bytes:
    """Identity of a turn within a scope, 32 bytes.

    Two people may say the same: what makes a turn is also where it was said.
    """
    return content_hash(scope, f"{session}\n{turn}\n{content}")


def head_hash(scope: str, memory_id: str) -> bytes:
    """Identity of an episode or topic within a scope, 32 bytes: it is what it heads, not says."""
    return content_hash(scope, f"head\n{memory_id}")
