"""Embeddings from an OpenAI-compatible server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.errors import ModelError
from hypermnesia.models import embeddings
from hypermnesia.models.embeddings import EmbeddingsEndpoint
from tests.servers import protocols
from tests.servers.http import Received, Reply, Server, in_turn, serve

if TYPE_CHECKING:
    from hypermnesia.models.encoder import Embedder


def endpoint(server: Server, **options: Any) -> EmbeddingsEndpoint:
    """An endpoint whose model has three dimensions."""
    settings: dict[str, Any] = {"dimension": 3} | options
    return EmbeddingsEndpoint(server.url, "m", **settings)


def answering(*vectors: Any) -> Reply:
    """A reply of the documented shape."""
    data = [{"index": i, "embedding": vector} for i, vector in enumerate(vectors)]
    return Reply({"object": "list", "data": data})


def test_asks_as_the_protocol_documents_it() -> None:
    """Model, inputs and plain numbers, under the bearer key."""
    with serve(protocols.embeddings) as server:
        model: Embedder = endpoint(server, api_key=protocols.Secret("sk-1"))
        model.encode(["one", "three"])
    (request,) = server.received
    assert request.path == "/v1/embeddings"
    assert request.headers["authorization"] == "Bearer sk-1"
    assert request.body == {"model": "m", "input": ["one", "three"], "encoding_format": "float"}


def test_gives_normalised_vectors_in_the_order_of_the_texts() -> None:
    """The server answers in reverse; the index decides."""
    with serve(protocols.embeddings) as server:
        one, three = endpoint(server).encode(["one", "three"])
    assert one.dense.tolist() == [pytest.approx([3 / 10**0.5, 1 / 10**0.5, 0.0])]
    assert three.dense.tolist() == [pytest.approx([5 / 26**0.5, 1 / 26**0.5, 0.0])]
    assert one.dense.dtype == np.float32


def test_has_no_token_vectors() -> None:
    """The arrays are empty, with the shapes and types of the protocol."""
    with serve(protocols.embeddings) as server:
        encoding = endpoint(server).encode_queries(["who?"])[0]
    assert (encoding.pieces.shape, encoding.pieces.dtype) == ((0,), np.int32)
    assert (encoding.tokens.shape, encoding.tokens.dtype) == ((0, 3), np.float32)


def test_sends_texts_in_batches() -> None:
    """Seven inputs, three a request."""
    with serve(protocols.embeddings) as server:
        encodings = endpoint(server, batch=3).encode([str(i) for i in range(7)])
    assert [len(request.body["input"]) for request in server.received] == [3, 3, 1]
    assert len(encodings) == 7


def test_a_long_text_becomes_several_vectors() -> None:
    """Nothing of it is cut off, and its neighbours keep theirs."""
    with serve(protocols.embeddings) as server:
        short, long, last = endpoint(server, chunk=400).encode(["a", "word " * 200, "b"])
    assert [e.dense.shape for e in (short, long, last)] == [(1, 3), (4, 3), (1, 3)]
    assert max(len(text) for r in server.received for text in r.body["input"]) <= 400


def test_prefixes_go_before_every_chunk_and_before_a_query() -> None:
    """Models trained with prefixes get the right one."""
    with serve(protocols.embeddings) as server:
        model = endpoint(server, chunk=400, query_prefix="query: ", passage_prefix="passage: ")
        model.encode(["word " * 100])
        model.encode_queries(["who?"])
    passages, query = (request.body["input"] for request in server.received)
    assert len(passages) == 2
    assert all(text.startswith("passage: ") for text in passages)
    assert query == ["query: who?"]


@pytest.mark.parametrize("text", ["", "  ", "\n\t"])
def test_a_blank_text_is_sent_as_a_space(text: str) -> None:
    """Servers refuse an empty input."""
    with serve(protocols.embeddings) as server:
        assert endpoint(server).encode_queries([text])[0].dense.shape == (1, 3)
    assert server.received[0].body["input"] == [" "]


def test_nothing_to_encode_costs_no_request() -> None:
    """An empty list is answered at once."""
    with serve(protocols.embeddings) as server:
        assert endpoint(server).encode([]) == []
    assert server.received == []


def test_asks_the_server_once_for_an_unknown_dimension() -> None:
    """The identity that a store records needs it."""
    with serve(protocols.embeddings) as server:
        model = endpoint(server, dimension=None)
        assert model.dimension == 3
        assert model.identity == "m@127.0.0.1;3;1600"
    assert len(server.received) == 1


def test_the_identity_names_what_changes_the_vectors() -> None:
    """Model, host, dimension, chunk and passage prefix; never credentials."""
    model = EmbeddingsEndpoint(
        "https://user:word@models.test:8000/v1", "m", dimension=768, passage_prefix="passage: "
    )
    assert model.identity == "m@models.test;768;1600;prefix='passage: '"


@pytest.mark.parametrize(
    "reply",
    [
        Reply({}),
        Reply({"data": None}),
        Reply({"data": []}),
        Reply({"data": ["text"]}),
        Reply({"data": [{"index": 1, "embedding": [1.0, 0.0, 0.0]}]}),
        Reply({"data": [{"index": [0], "embedding": [1.0, 0.0, 0.0]}]}),
        Reply({"data": [{"embedding": [1.0, 0.0, 0.0]}]}),
        answering(None),
        answering(1.0),
        answering([]),
        answering("AAAA"),
        answering([1.0, 0.0]),
        answering([1.0, 0.0, 0.0, 0.0]),
        answering([1.0, 0.0, "0.5"]),
        answering([1.0, 0.0, None]),
        answering([True, False, True]),
        answering([[1.0], [0.0], [0.0]]),
        answering([0.0, 0.0, 0.0]),
        answering([1e300, 0.0, 0.0]),
        answering([10**400, 0, 0]),
        Reply(raw=b'{"data": [{"index": 0, "embedding": [NaN, 0.0, 1.0]}]}'),
        Reply(raw=b'{"data": [{"index": 0, "embedding": [1e999, 0.0, 1.0]}]}'),
        Reply(raw=b'{"data": [{"index": 0, "emb'),
        Reply(status=401),
        Reply(status=500),
    ],
)
def test_a_bad_reply_is_a_model_error(reply: Reply) -> None:
    """Too few, misnumbered, misshapen, non-finite and zero vectors never enter a store."""
    with serve(in_turn(reply)) as server, pytest.raises(ModelError):
        endpoint(server).encode(["a"])


def test_vectors_of_different_lengths_are_a_model_error() -> None:
    """Even when one of them has the expected length."""
    ragged = in_turn(answering([1.0, 0.0, 0.0], [1.0]))
    with serve(ragged) as server, pytest.raises(ModelError, match="different lengths"):
        endpoint(server).encode(["a", "b"])


def test_another_dimension_than_configured_says_what_to_do() -> None:
    """The message names both numbers."""
    with (
        serve(protocols.embeddings) as server,
        pytest.raises(ModelError, match="3 numbers where 768 were expected; set"),
    ):
        endpoint(server, dimension=768).encode(["a"])


def test_a_slow_server_is_a_model_error() -> None:
    """The time-out is the configured one."""

    def wait(_: Received) -> Reply:
        server.closing.wait()
        return Reply({})

    with serve(wait) as server, pytest.raises(ModelError, match=r"within 0\.1 s"):
        endpoint(server, timeout=0.1).encode(["a"])


@pytest.mark.parametrize("options", [{"chunk": 2 * embeddings.OVERLAP}, {"batch": 0}])
def test_sizes_that_cannot_work_are_refused(options: dict[str, int]) -> None:
    """A chunk must get on by more than it repeats."""
    with pytest.raises(ModelError, match="chunk"):
        EmbeddingsEndpoint("http://127.0.0.1", "m", **options)  # pyright: ignore[reportArgumentType]


@given(st.text(alphabet=" abé漢\n", max_size=2000), st.integers(321, 700))
def test_chunks_cover_the_whole_text_and_keep_the_limit(text: str, limit: int) -> None:
    """Each chunk is a run of the text that begins inside the one before it."""
    chunks = embeddings._chunks(text, limit)  # pyright: ignore[reportPrivateUsage]
    assert all(0 < len(chunk) <= limit for chunk in chunks)
    if not text.strip():
        assert chunks == [" "]
        return
    rebuilt = chunks[0] + "".join(chunk[embeddings.OVERLAP :] for chunk in chunks[1:])
    assert rebuilt == text
