"""What a comparison runs on: texts to remember, and questions with the texts that answer them.

Besides LoCoMo and BEAM a file may hold anything, as JSON lines (or one list) of

- texts: ``id``, ``text``; optionally ``at`` (ISO 8601), and of a conversation ``speaker`` (a name,
  or ``user`` and ``assistant``) and ``session``;
- questions: ``question``, ``gold`` (ids of texts); optionally ``id``, ``class``, and ``stale``
  (ids of texts that hold no longer).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from hypermnesia.errors import InvalidInput
from hypermnesia.evals import beam
from hypermnesia.evals.adapters.protocol import Item
from hypermnesia.evals.fields import Fields, streamed
from hypermnesia.evals.locomo.data import talks
from hypermnesia.evals.questions import Question
from hypermnesia.evals.talks import Talk
from hypermnesia.graph.messages import Message, parsed
from hypermnesia.graph.sources import read


@dataclass(frozen=True, slots=True)
class Collection:
    """The content of one memory, and what it is asked.

    Attributes:
        name: unique in the material.
        items: in the order in which they are remembered.
        questions: those that some item answers.
    """

    name: str
    items: tuple[Item, ...]
    questions: tuple[Question, ...]


def collections(paths: Sequence[Path]) -> list[Collection]:
    """Every collection of some files, whichever of the three kinds each is.

    Raises:
        InvalidInput: a file cannot be used; the field and the item are named.
    """
    found = [collection for path in paths for collection in _read(path)]
    for name, count in Counter(collection.name for collection in found).items():
        if count > 1:
            raise InvalidInput(f"{count} collections are called {name!r}; rename files")
    if not any(collection.questions for collection in found):
        raise InvalidInput("no question names a text that answers it; there is nothing to compare")
    return found


def _read(path: Path) -> Iterator[Collection]:
    first = next(islice(streamed(path, "object", {"conversation": 2}), 1)).values
    if isinstance(first.get("conversation"), dict):
        yield from _locomo(path)
    elif "turns" in first:
        yield from map(_talk, beam.talks([path]))
    else:
        yield _lines(path)


def _locomo(path: Path) -> Iterator[Collection]:
    """A collection a conversation, its turns as the package reads them, captions included."""
    for talk in talks(path):
        messages = (m for m in read(path, "locomo", select=talk.name) if isinstance(m, Message))
        said = {message.id: message for message in messages}
        items = [Item(t.id, t.text, said[t.id].at, said[t.id]) for t in talk.turns if t.id in said]
        yield Collection(talk.name, tuple(items), _answered(talk.questions))


def _talk(talk: Talk) -> Collection:
    said = [parsed(message) for message in talk.messages]
    items = [Item(m.id, f"{m.speaker}: {m.content}", m.at, m) for m in said if m.id]
    return Collection(talk.name, tuple(items), _answered(talk.questions))


def _answered(questions: Sequence[Question]) -> tuple[Question, ...]:
    return tuple(question for question in questions if question.gold and question.answerable)


def _lines(path: Path) -> Collection:
    items: dict[str, Item] = {}
    asked: list[Fields] = []
    for fields in streamed(path, "object"):
        if "question" in fields.values:
            asked.append(fields)
            continue
        item = _item(fields)
        if item.id in items:
            raise fields.wrong("id", f"is {item.id!r}, as of an earlier text")
        items[item.id] = item
    questions = [_question(fields, number, items) for number, fields in enumerate(asked)]
    return Collection(path.stem, tuple(items.values()), _answered(questions))


def _item(fields: Fields) -> Item:
    name, text, speaker = fields.text("id"), fields.text("text"), fields.label("speaker")
    at = fields.moment("at")
    if not speaker:
        return Item(name, text, at)
    session = fields.label("session") or None
    said = parsed(
        {"speaker": speaker, "content": text, "timestamp": at, "id": name, "session": session}
    )
    return Item(name, f"{speaker}: {text}", at, said)


def _question(fields: Fields, number: int, items: Mapping[str, object]) -> Question:
    gold, stale = fields.texts("gold"), fields.texts("stale")
    for member, ids in (("gold", gold), ("stale", stale)):
        for name in ids:
            if name not in items:
                raise fields.wrong(member, f"names {name!r}, and no text has this id")
    return Question(
        id=fields.label("id") or f"q{number}",
        kind=fields.label("class") or "question",
        text=fields.text("question"),
        answer="",
        gold=tuple(dict.fromkeys(gold)),
        stale=stale,
    )
