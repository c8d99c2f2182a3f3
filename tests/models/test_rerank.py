"""Rerankers: a server, and an ONNX cross-encoder in a directory."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

from hypermnesia.errors import ModelError
from hypermnesia.models import rerank
from hypermnesia.models.rerank import OnnxCrossEncoder, RerankEndpoint, Reranker
from tests.servers import protocols
from tests.servers.http import Received, Reply, in_turn, serve

if TYPE_CHECKING:
    from pathlib import Path

WORDS = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "cat", "dog", "bird"]


def test_asks_as_the_protocol_documents_it() -> None:
    """Model, query, documents and how many to score, below the configured version."""
    with serve(protocols.rerank) as server:
        model = RerankEndpoint(f"{server.url}/v2", "m", api_key=protocols.Secret("sk-1"))
        model.scores("q", ["a", "bb"])
    (request,) = server.received
    assert request.path == "/v2/rerank"
    assert request.headers["authorization"] == "Bearer sk-1"
    assert request.body == {"model": "m", "query": "q", "documents": ["a", "bb"], "top_n": 2}


def test_gives_scores_in_the_order_of_the_texts() -> None:
    """The server answers best first; the index decides."""
    with serve(protocols.rerank) as server:
        model: Reranker = RerankEndpoint(server.url, "m")
        assert model.scores("q", ["aaa", "", "a"]) == [0.25, 1.0, 0.5]


def test_nothing_to_score_costs_no_request() -> None:
    """An empty list is answered at once."""
    with serve(protocols.rerank) as server:
        assert RerankEndpoint(server.url, "m").scores("q", []) == []
    assert server.received == []


def test_long_texts_are_clipped() -> None:
    """A text beyond any window does not fail the request."""
    with serve(protocols.rerank) as server:
        RerankEndpoint(server.url, "m").scores("q" * 64_000, ["a" * 64_000])
    body = server.received[0].body
    assert [len(body["query"]), len(body["documents"][0])] == [rerank.TEXT_LIMIT] * 2


@pytest.mark.parametrize(
    "results",
    [
        None,
        "text",
        [],
        [None],
        [{"index": 0}],
        [{"relevance_score": 0.5}],
        [{"index": 1, "relevance_score": 0.5}],
        [{"index": "0", "relevance_score": 0.5}],
        [{"index": [0], "relevance_score": 0.5}],
        [{"index": 0, "relevance_score": "0.5"}],
        [{"index": 0, "relevance_score": True}],
        [{"index": 0, "relevance_score": None}],
        [{"index": 0, "relevance_score": math.nan}],
        [{"index": 0, "relevance_score": -math.inf}],
        [{"index": 0, "relevance_score": 10**400}],
    ],
)
def test_a_bad_reply_is_a_model_error(results: Any) -> None:
    """Too few, misnumbered and non-finite scores are refused."""
    with serve(in_turn(Reply({"results": results}))) as server, pytest.raises(ModelError):
        RerankEndpoint(server.url, "m").scores("q", ["a"])


@pytest.mark.parametrize("status", [302, 401, 429, 500])
def test_a_server_error_is_a_model_error(status: int) -> None:
    """The status is in the message."""
    failing = in_turn(Reply(status=status))
    with serve(failing) as server, pytest.raises(ModelError, match=f"answered {status}"):
        RerankEndpoint(server.url, "m").scores("q", ["a"])


def test_a_slow_server_is_a_model_error() -> None:
    """The time-out is the configured one."""

    def wait(_: Received) -> Reply:
        server.closing.wait()
        return Reply({})

    with serve(wait) as server, pytest.raises(ModelError, match=r"within 0\.1 s"):
        RerankEndpoint(server.url, "m", timeout=0.1).scores("q", ["a"])


def varint(value: int) -> bytes:
    """Protocol-buffer variable-length integer."""
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + varint(rest) if rest else bytes([low])


def message(*fields: tuple[int, int | str | bytes]) -> bytes:
    """A protocol-buffer message of integer, text and nested fields."""
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            content = value.encode() if isinstance(value, str) else value
            out += varint(number << 3 | 2) + varint(len(content)) + content
    return out


def tensor(name: str, kind: int, *dimensions: str | int) -> bytes:
    """An ONNX ValueInfoProto."""
    shape = [(1, message((2 if isinstance(d, str) else 1, d))) for d in dimensions]
    return message((1, name), (2, message((1, message((1, kind), (2, message(*shape)))))))


def node(op: str, inputs: list[str], output: str, *attributes: bytes) -> bytes:
    """An ONNX NodeProto."""
    fields = [(1, name) for name in inputs] + [(2, output), (4, op)]
    return message(*fields, *[(5, attribute) for attribute in attributes])


def onnx_model(*, outputs: int = 1, op: str = "ReduceSum", then: str = "Identity") -> bytes:
    """A model whose logit is the sum (or another reduction) of the ids, repeated ``outputs`` times.

    Opset 11, so that the axis is an attribute; see onnx.proto for the field numbers.
    """
    integer, real = 7, 1  # TensorProto.DataType INT64 and FLOAT
    axis = message((1, "axis"), (3, 1), (20, 2))
    to_real = message((1, "to"), (3, real), (20, 2))
    axes = message((1, "axes"), (8, 1), (20, 7))
    graph = message(
        (1, node("Cast", ["input_ids"], "ids", to_real)),
        (1, node(op, ["ids"], "sum", axes)),
        (1, node(then, ["sum"], "last")),
        (1, node("Concat", ["last"] * outputs, "logits", axis)),
        (2, "sums"),
        (11, tensor("input_ids", integer, "n", "t")),
        (12, tensor("logits", real, "n", outputs)),
    )
    return message((1, 7), (7, graph), (8, message((1, ""), (2, 11))))


def cross_encoder(directory: Path, model: bytes) -> OnnxCrossEncoder:
    """A directory with a word-level tokenizer and the model."""
    tokenizer = Tokenizer(WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()  # pyright: ignore[reportAttributeAccessIssue]
    tokenizer.post_processor = TemplateProcessing(  # pyright: ignore[reportAttributeAccessIssue]
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    )
    tokenizer.save(str(directory / "tokenizer.json"))
    (directory / "onnx").mkdir()
    (directory / "onnx" / "model.onnx").write_bytes(model)
    return OnnxCrossEncoder(directory)


def logistic(x: float) -> float:
    """As the textbook has it."""
    return 1 / (1 + math.exp(-x))


def test_a_cross_encoder_scores_query_and_text_together(tmp_path: Path) -> None:
    """[CLS] query [SEP] text [SEP]: the ids sum to 1 + 4 + 2 + text + 2, padding adds nothing."""
    model: Reranker = cross_encoder(tmp_path, onnx_model())
    scores = model.scores("cat", ["dog", "", "dog bird"])
    assert scores == pytest.approx([logistic(14), logistic(9), logistic(20)])


def test_a_cross_encoder_scores_many_texts_in_batches(tmp_path: Path) -> None:
    """Order and number survive the batching."""
    texts = ["dog", "bird"] * rerank.BATCH
    scores = cross_encoder(tmp_path, onnx_model()).scores("cat", texts)
    assert scores == pytest.approx([logistic(14), logistic(15)] * rerank.BATCH)


def test_a_long_text_is_cut_to_the_window_and_the_query_kept(tmp_path: Path) -> None:
    """The smallest id of the pair is [CLS], and 512 pieces are within every such model."""
    model = cross_encoder(tmp_path, onnx_model(op="ReduceMean"))
    mean = (1 + 4 + 2 + 5 * (rerank.WINDOW - 4) + 2) / rerank.WINDOW
    assert model.scores("cat", ["dog " * 5000]) == pytest.approx([logistic(mean)])


def test_a_model_with_several_outputs_is_refused(tmp_path: Path) -> None:
    """A classifier is no cross-encoder."""
    with pytest.raises(ModelError, match="one output"):
        cross_encoder(tmp_path, onnx_model(outputs=3)).scores("cat", ["dog"])


def test_a_model_that_gives_nan_is_refused(tmp_path: Path) -> None:
    """Acosh has no value below 1: the logit of the smallest pair of ids is no number."""
    model = cross_encoder(tmp_path, onnx_model(op="ReduceMin", then="Acosh"))
    assert model.scores("cat", ["dog"]) == [0.5]
    with pytest.raises(ModelError, match="no finite number"):
        model.scores("cat", ["dog", "dog dog"])  # the shorter one is padded with zeros


@pytest.mark.parametrize("missing", ["tokenizer.json", "onnx/model.onnx"])
def test_a_missing_file_is_named(tmp_path: Path, missing: str) -> None:
    """The message says what a directory must hold."""
    model = cross_encoder(tmp_path, onnx_model())
    (tmp_path / missing).unlink()
    with pytest.raises(ModelError, match=f"{missing} is missing; name a directory"):
        model.scores("cat", ["dog"])


@pytest.mark.parametrize("damaged", ["tokenizer.json", "onnx/model.onnx"])
def test_a_damaged_file_is_named(tmp_path: Path, damaged: str) -> None:
    """A download that broke off is reported, not a library's traceback."""
    model = cross_encoder(tmp_path, onnx_model())
    (tmp_path / damaged).write_bytes(b"{")
    with pytest.raises(ModelError, match=f"{damaged} cannot be loaded"):
        model.scores("cat", ["dog"])
