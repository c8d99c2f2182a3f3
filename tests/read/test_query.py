"""How a search text is taken."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.models.encoder import Encoding
from hypermnesia.read.query import LONGEST, heard
from tests.conftest import OpenMemory
from tests.store.embedders import HashEmbedder


class _Listening(HashEmbedder):
    """Remembers the queries that it was asked to encode together."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[list[str]] = []

    def encode_queries(self, texts: Sequence[str]) -> list[Encoding]:
        self.asked.append(list(texts))
        return super().encode_queries(texts)


@given(st.text(max_size=2 * LONGEST))
def test_a_text_that_is_not_too_long_is_heard_whole(text: str) -> None:
    """What is heard is never longer than the bound."""
    assert len(heard(text)) <= LONGEST
    assert len(text) > LONGEST or heard(text) == text


def test_of_a_long_text_the_beginning_and_the_end_are_heard() -> None:
    """A question stands before or behind what it is about."""
    said = heard("first" + "x" * 64_000 + "last")
    assert said.startswith("first")
    assert said.endswith("last")


def test_a_question_beside_a_pasted_document_is_answered(open_memory: OpenMemory) -> None:
    """Without encoding the document."""
    embedder = _Listening()
    with open_memory(embedder=embedder) as memory:
        wanted = memory.add("The cluster listens on port 5432.").id
        memory.add("Ann likes green tea.")
        document, question = "lorem ipsum dolor " * 3_500, "Which port does the cluster use?"
        behind = memory.search(f"{document}. {question}", k=1)
        before = memory.search(f"{question} {document}", k=1)
    assert behind[0].id == before[0].id == wanted
    assert 0 < max(len(text) for texts in embedder.asked for text in texts) <= LONGEST


def test_a_question_to_talk_is_encoded_in_both_wordings_at_once(open_memory: OpenMemory) -> None:
    """A remote encoder is asked once; where both are the same, for one text."""
    embedder = _Listening()
    with open_memory(embedder=embedder) as memory:
        memory.observe({"speaker": "Ann", "content": "I ran a marathon."})
        memory.search("What did Ann run?")
        memory.search("Who ran?")
        memory.search("What did Ann run?", levels=("fact",))
    assert embedder.asked == [
        ["What did Ann run?", "What did I run?"],
        ["Who ran?"],
        ["What did Ann run?"],
    ]
