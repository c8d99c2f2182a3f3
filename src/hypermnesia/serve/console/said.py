"""What a page says after something was done, and how it can be undone.

The address carries only a word of this table, never a text, so that no link can make the console
say something else.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Said:
    """A notice.

    Attributes:
        text: one or two sentences.
        undo: path of the action that undoes it, with the ids of the address; ``None`` = none does.
    """

    text: str
    undo: str | None = None


_SAID = {
    "added": Said("Remembered. What became of it stands below."),
    "known": Said("This text was known already: its memory is shown below."),
    "updated": Said("Changed. The former values stand in the log below and can be put back."),
    "restored": Said("Active again. What had replaced it stays as it is."),
    "promoted": Said("Promoted: recalled from now on.", "/review/demote"),
    "demoted": Said("Back below the gate: kept, but not recalled."),
    "pinned": Said("Pinned: it stays active whatever its salience.", "/review/demote"),
    "forgotten": Said("Forgotten for good, with everything that stood on it alone."),
    "begun": Said("The file is being taken in; below you see how far it is."),
    "cancelled": Said("It stops at its next step; what was stored stays."),
    "consented": Said("Consent given: judgements of this scope are queued from now on."),
    "withdrawn": Said("Consent withdrawn: the queued rows of this scope were dropped."),
    "flushed": Said("The queue was flushed."),
    "revoked": Said("The token was revoked; it opens nothing any more."),
}


def said(word: str | None) -> Said | None:
    """The notice for a word of the address; ``None`` for any other."""
    return _SAID.get(word or "")
