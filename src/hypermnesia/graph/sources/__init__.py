"""Readers of conversations: chat APIs, LoCoMo, ChatGPT and Claude exports, transcripts.

:func:`read` yields the messages of a file, of standard input or of a stream; :func:`detect`
tells the format. Each format is a module that maps its schema to the fields of a message;
what all have in common (encodings, broken documents, bad items, long messages, repeated ids)
is in :mod:`~hypermnesia.graph.sources.reading`.
"""

from __future__ import annotations

from hypermnesia.graph.sources.reading import FORMATS, Format, detect, read

__all__ = ["FORMATS", "Format", "detect", "read"]
