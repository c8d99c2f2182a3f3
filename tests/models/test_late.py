"""Token vectors keep their meaning in few bytes, and MaxSim is what it says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypermnesia.models.encoder import Encoding, OnnxEncoder
from hypermnesia.models.late import (
    DIMENSIONS,
    TOKEN_BYTES,
    TOKENS,
    UNPACKED,
    VERSION,
    Pieces,
    compress,
    compress_all,
    expand,
    expand_all,
    maxsim,
    packed_maxima,
    query_tokens,
    rarity,
    token_maxima,
)
from hypermnesia.types import Matrix, Vector

SENTENCE = "We chose NATS over Kafka for the billing service."
NOTHING = np.zeros(0, np.int32), np.zeros((0, 0), np.float32)
"""Pieces and token vectors of a text that an endpoint encoded."""


@pytest.fixture(scope="module")
def encoder() -> OnnxEncoder:
    """The bundled encoder."""
    return OnnxEncoder()


def blob(encoder: OnnxEncoder, text: str) -> bytes:
    """A text as it is stored."""
    (encoding,) = encoder.encode([text])
    return compress(encoding.pieces, encoding.tokens)


def random_blob(count: int, seed: int = 0) -> bytes:
    """A blob of ``count`` tokens of no meaning."""
    vectors = np.random.default_rng(seed).normal(size=(count, 384)).astype(np.float32)
    return compress(np.full(count, 5000, np.int32), vectors)


def test_stop_words_and_punctuation_cost_nothing(encoder: OnnxEncoder) -> None:
    """A sentence keeps one vector for each telling piece."""
    assert len(blob(encoder, "The grey cat, and a kettle!")) == 1 + 3 * TOKEN_BYTES


def test_a_text_of_stop_words_keeps_them(encoder: OnnxEncoder) -> None:
    """Otherwise it could never be found."""
    assert expand(blob(encoder, "Who are you?")).shape == (3, DIMENSIONS)


@pytest.mark.parametrize("text", ["", "?!", "…"])
def test_a_text_without_words_has_no_token_vectors(encoder: OnnxEncoder, text: str) -> None:
    """Nothing is kept, and nothing raises."""
    assert blob(encoder, text) == b""


@pytest.mark.parametrize("dimension", [8, 383, 768])
def test_vectors_of_another_dimension_are_not_kept(dimension: int) -> None:
    """No basis exists for them: the scorer then has nothing to say."""
    tokens = np.ones((3, dimension), np.float32)
    pieces = np.array([5000, 5001, 5002], np.int32)
    assert compress(pieces, tokens) == b""
    query, weights = query_tokens(Encoding(tokens, pieces, tokens))
    assert np.isnan(maxsim(query, weights, *expand_all([random_blob(4)]))).all()


def test_a_remote_encoding_without_tokens_is_not_kept() -> None:
    """An endpoint returns sentence vectors alone."""
    assert compress(*NOTHING) == b""


def test_a_long_text_is_pooled_to_the_cap(encoder: OnnxEncoder) -> None:
    """However long, a memory stays within its bytes: 1 KB, the version included."""
    size = len(blob(encoder, "The potter sailed to Lisbon. " * 200))
    assert size == 1 + TOKENS * TOKEN_BYTES <= 1024


def test_neighbours_of_a_long_text_are_averaged(encoder: OnnxEncoder) -> None:
    """Each stored vector is nearest to the part of the text that it stands for."""
    (encoding,) = encoder.encode(["kettle " * TOKENS + "violin " * TOKENS])
    stored = expand(compress(encoding.pieces, encoding.tokens))
    words, _ = query_tokens(encoder.encode_queries(["kettle violin"])[0])
    nearest = (words @ stored.T).argmax(axis=0)
    assert nearest[: TOKENS // 2].tolist() == [0] * (TOKENS // 2)
    assert nearest[TOKENS // 2 + 1 :].tolist() == [1] * (TOKENS // 2)


def test_a_batch_is_packed_as_each_text_alone(encoder: OnnxEncoder) -> None:
    """One projection serves all; texts that keep nothing hold their places."""
    texts = ["", SENTENCE, "?!", "The grey cat.", "The potter sailed to Lisbon. " * 20, "Who?"]
    together = compress_all(encoder.encode(texts))
    for text, packed in zip(texts, together, strict=True):
        alone = expand(blob(encoder, text))
        assert expand(packed).shape == alone.shape
        # Padding within a batch moves a value near zero across it here and there.
        assert ((expand(packed) * alone).sum(axis=1) > 0.95).all()


@pytest.mark.parametrize("batch", [[], [Encoding(np.zeros((1, 8), np.float32), *NOTHING)] * 2])
def test_a_batch_without_token_vectors_keeps_nothing(batch: list[Encoding]) -> None:
    """As when an endpoint encodes."""
    assert compress_all(batch) == [b""] * len(batch)


def test_packing_keeps_the_direction_of_every_token(encoder: OnnxEncoder) -> None:
    """The signs of a normal vector are at a cosine of sqrt(2 / pi) = 0.80 to it."""
    (encoding,) = encoder.encode([SENTENCE])
    exact, _ = query_tokens(encoding)
    similarities = exact @ expand(compress(encoding.pieces, encoding.tokens)).T
    assert similarities.max(axis=0).min() > 0.75


def test_a_blob_holds_the_signs_of_the_reduction(encoder: OnnxEncoder) -> None:
    """Eight dimensions a byte, the first in the lowest bit, a set bit positive."""
    (encoding,) = encoder.encode(["kettle"])
    exact, _ = query_tokens(encoding)
    body = compress(encoding.pieces, encoding.tokens)
    signs = [bool(body[1 + i // 8] >> i % 8 & 1) for i in range(DIMENSIONS)]
    assert body[0] == VERSION
    assert signs == (exact[0] > 0).tolist()


def test_expanded_vectors_have_unit_length() -> None:
    """Cosines stay cosines."""
    np.testing.assert_allclose(np.linalg.norm(expand(random_blob(9)), axis=1), 1, rtol=1e-5)


@settings(deadline=None)  # a shared machine is slow at times
@given(st.lists(st.integers(0, TOKENS), max_size=6))
def test_many_blobs_unpack_as_each_alone(counts: list[int]) -> None:
    """Concatenation and offsets lose nothing, empty blobs included."""
    blobs = [random_blob(count, seed) for seed, count in enumerate(counts)]
    tokens, offsets = expand_all(blobs)
    assert list(np.diff(offsets)) == counts
    for i, each in enumerate(blobs):
        np.testing.assert_array_equal(tokens[offsets[i] : offsets[i + 1]], expand(each))


@pytest.mark.parametrize("damaged", [b"", b"\x01" + bytes(48), b"\x63" + bytes(32), b"\x02"])
def test_a_blob_of_another_version_has_no_tokens(damaged: bytes) -> None:
    """An older or newer format is skipped, as a memory without token vectors is."""
    assert expand(damaged).shape == (0, DIMENSIONS)


def test_maxima_are_those_of_a_plain_loop() -> None:
    """The reduction over offsets is the definition of MaxSim."""
    documents, offsets = expand_all([random_blob(3, 1), b"", random_blob(5, 2)])
    query = expand(random_blob(4, 3))
    maxima = token_maxima(query, documents, offsets)
    assert maxima.shape == (4, 3)
    np.testing.assert_allclose(maxima[:, 0], (query @ documents[:3].T).max(axis=1), rtol=1e-5)
    np.testing.assert_allclose(maxima[:, 2], (query @ documents[3:].T).max(axis=1), rtol=1e-5)
    assert np.isnan(maxima[:, 1]).all()


@pytest.mark.parametrize("number", [0, 1, UNPACKED, 2 * UNPACKED + 1])
def test_packed_documents_are_compared_as_unpacked_ones(number: int) -> None:
    """However many, those without tokens included."""
    blobs = [random_blob(1 + i % 7, i) if i % 5 else b"" for i in range(number)]
    query = expand(random_blob(4, 1))
    np.testing.assert_allclose(
        packed_maxima(query, blobs), token_maxima(query, *expand_all(blobs)), atol=1e-6
    )


def test_a_score_is_the_weighted_mean_of_maxima() -> None:
    """Weights are shares, whatever their sum."""
    documents, offsets = expand_all([random_blob(3, 1), random_blob(5, 2)])
    query = expand(random_blob(2, 3))
    weights: Vector = np.array([1, 3], np.float32)
    expected = np.average(token_maxima(query, documents, offsets), axis=0, weights=weights)
    np.testing.assert_allclose(maxsim(query, weights, documents, offsets), expected, rtol=1e-5)
    np.testing.assert_allclose(maxsim(query, 7 * weights, documents, offsets), expected, rtol=1e-5)


def test_the_memory_that_answers_scores_highest(encoder: OnnxEncoder) -> None:
    """End to end on four memories."""
    memories = [
        "Ana adopted a grey cat from the shelter.",
        SENTENCE,
        "The kettle broke this morning.",
        "Kafka wrote The Trial.",
    ]
    query, weights = query_tokens(
        encoder.encode_queries(["what does billing use for messages?"])[0]
    )
    scores = maxsim(query, weights, *expand_all([blob(encoder, m) for m in memories]))
    assert int(scores.argmax()) == 1
    assert scores.dtype == np.float32


def test_rare_pieces_weigh_more(encoder: OnnxEncoder) -> None:
    """A stop-word counts, but little; punctuation does not at all."""
    _, weights = query_tokens(encoder.encode_queries(["the aquarium?"])[0])
    assert len(weights) == 2
    assert 0 < weights[0] < weights[1] / 2


def test_the_reader_may_supply_importance(encoder: OnnxEncoder) -> None:
    """Weights are the square roots of what the callable returns."""

    def nine(pieces: Pieces) -> Vector:
        return np.full(len(pieces), 9, np.float32)

    _, weights = query_tokens(encoder.encode_queries(["grey cat"])[0], nine)
    assert weights.tolist() == [3, 3]


def test_rarity_rises_with_the_rank_of_a_word() -> None:
    """What precedes the first word of the vocabulary are characters."""
    values: Matrix = rarity(np.array([1000, 1996, 3000, 30000], np.int32))
    assert values[0] == values[1] > 0
    assert values[1] < values[2] < values[3]
