"""What makes two texts the same memory."""

from __future__ import annotations

import hashlib
import unicodedata

from hypermnesia.types import Node


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


def identity_hash(node: Node) -> bytes:
    """Identity of a memory within its scope, 32 bytes, by what its level makes of one.

    A turn that does not say which message it was is told from others by its text alone.
    """
    source = node.provenance
    match node.level:
        case "turn" if source.turn_id is not None:
            return turn_hash(node.scope, source.session_id or "", source.turn_id, node.content)
        case "episode" | "topic":
            return head_hash(node.scope, node.id)
        case _:
            return content_hash(node.scope, node.content)
