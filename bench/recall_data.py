"""Collections of memories and questions that recall is measured on.

LoCoMo and BEAM are read from a folder the caller names; neither may be shipped. The synthetic
collection is written here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bench.texts import memories
from hypermnesia.models.encoder import Encoding, OnnxEncoder

ADVERSARIAL = 5
"""LoCoMo's category of questions that have no answer."""
DISTRACTORS = 300
"""Made-up memories beside the written ones of the synthetic collection."""
MEASURES = ("R@5", "R@10", "nDCG@10", "MRR@10")
BATCH = 64
"""Texts encoded between two writes to the list; bounds memory."""


@dataclass(frozen=True, slots=True)
class Collection:
    """Memories of one store, and questions with the positions of the memories that answer."""

    name: str
    texts: tuple[str, ...]
    questions: tuple[str, ...]
    gold: tuple[frozenset[int], ...]


def locomo(path: Path) -> Iterator[Collection]:
    """One collection a conversation: turns as ``Speaker: text [shares caption]``."""
    for number, sample in enumerate(json.loads(path.read_text("utf-8"))):
        talk = sample["conversation"]
        sessions = sorted((k for k in talk if re.fullmatch(r"session_\d+", k)), key=_number)
        turns = [turn for key in sessions for turn in talk[key]]
        place = {turn["dia_id"]: i for i, turn in enumerate(turns)}
        answerable = [q for q in sample["qa"] if q["category"] != ADVERSARIAL]
        asked = [(q["question"], evidence_turns(q["evidence"], place)) for q in answerable]
        yield _collection(f"locomo-{number}", map(turn_text, turns), asked)


def beam(folder: Path) -> Iterator[Collection]:
    """One collection a conversation: turns as ``role: content``; abstention questions left out."""
    for path in sorted(folder.glob("*.json"), key=lambda p: int(p.stem)):
        data = json.loads(path.read_text("utf-8"))
        place = {turn["id"]: i for i, turn in enumerate(data["turns"])}
        asked = [
            (q["question"], frozenset(place[i] for i in numbers(q["evidence"]) if i in place))
            for q in data["questions"]
        ]
        texts = (f"{turn['role']}: {turn['content']}" for turn in data["turns"])
        yield _collection(f"beam-{path.stem}", texts, asked)


def synthetic() -> Iterator[Collection]:
    """The written pairs, each kind of question on its own, among :data:`DISTRACTORS` others."""
    written = {kind: _pairs(block) for kind, block in WRITTEN.items()}
    texts = [memory for pairs in written.values() for memory, _ in pairs]
    place = {memory: i for i, memory in enumerate(texts)}
    texts += memories(DISTRACTORS)
    for kind, pairs in written.items():
        asked = [(question, frozenset([place[memory]])) for memory, question in pairs]
        yield _collection(f"synthetic-{kind}", texts, asked)


def encoded(encoder: OnnxEncoder, name: str, texts: Sequence[str], cache: Path) -> list[Encoding]:
    """Encode once, and read back ever after from ``cache / name.npz`` (token vectors float16)."""
    path = cache / f"{name}.npz"
    if not path.exists():
        batches = (texts[i : i + BATCH] for i in range(0, len(texts), BATCH))
        encodings = [encoding for batch in batches for encoding in encoder.encode(batch)]
        np.savez(
            path,
            dense=np.concatenate([e.dense for e in encodings]),
            pieces=np.concatenate([e.pieces for e in encodings]),
            tokens=np.concatenate([e.tokens for e in encodings]).astype(np.float16),
            windows=[len(e.dense) for e in encodings],
            lengths=[len(e.pieces) for e in encodings],
        )
    with np.load(path) as arrays:
        dense = np.split(arrays["dense"], np.cumsum(arrays["windows"])[:-1])
        cuts = np.cumsum(arrays["lengths"])[:-1]
        pieces, tokens = np.split(arrays["pieces"], cuts), np.split(arrays["tokens"], cuts)
    return [Encoding(*parts) for parts in zip(dense, pieces, tokens, strict=True)]


def measure(best: npt.NDArray[np.intp], gold: frozenset[int]) -> tuple[float, ...]:
    """:data:`MEASURES` of one question, from the positions found, best first."""
    hits = np.array([int(i) in gold for i in best] + [False] * (10 - len(best)))
    discount = 1 / np.log2(np.arange(2, 12))
    ideal = discount[: min(len(gold), 10)].sum()
    first = float(1 / (1 + hits.argmax())) if hits.any() else 0.0
    return hits[:5].sum() / len(gold), hits.sum() / len(gold), (hits @ discount) / ideal, first


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a Markdown table; floats to three digits."""
    print("\n| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for row in rows:
        cells = (f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row)
        print("| " + " | ".join(cells) + " |", flush=True)


def _collection(
    name: str, texts: Iterable[str], asked: Iterable[tuple[str, frozenset[int]]]
) -> Collection:
    kept = [(question, gold) for question, gold in asked if gold]
    questions, gold = zip(*kept, strict=True)
    return Collection(name, tuple(texts), questions, gold)


def turn_text(turn: Mapping[str, str]) -> str:
    """A turn of LoCoMo as it is stored: ``Speaker: text [shares caption]``."""
    caption = turn.get("blip_caption")
    return f"{turn['speaker']}: {turn['text']}" + (f" [shares {caption}]" if caption else "")


def _number(key: str) -> int:
    return int(key.rpartition("_")[2])


def evidence_turns(strings: Sequence[str], place: Mapping[str, int]) -> frozenset[int]:
    """Several ids may share a string, be malformed (``D:11:26``, ``D30:05``) or match no turn."""
    found = (match for s in strings for match in re.findall(r"D:?(\d+):(\d+)", s))
    ids = (f"D{int(session)}:{int(turn)}" for session, turn in found)
    return frozenset(place[i] for i in ids if i in place)


def numbers(evidence: Any) -> Iterator[int]:
    """Every integer of a nested structure: a list, or lists by role (``updated_info``...)."""
    if isinstance(evidence, int):
        yield evidence
    elif isinstance(evidence, list | dict):
        for part in evidence.values() if isinstance(evidence, dict) else evidence:
            yield from numbers(part)


def _pairs(block: str) -> list[tuple[str, str]]:
    lines = (line.split(" | ") for line in block.strip().splitlines())
    return [(memory.strip(), question.strip()) for memory, question in lines]


# ruff: noqa: E501 - one pair a line reads best
WRITTEN = {
    "pinpoint": """
POL-358 stays open until the retention job deletes rows of closed accounts | what is blocking POL-358?
POL-385 was closed after the currency rounding fix shipped | status of POL-385
src/auth/session.py refreshes the token twice when two tabs wake at once | what is wrong in src/auth/session.py?
src/auth/tokens.py keeps the signing key in memory only | anything known about tokens.py
v2.3 drops the legacy importer and needs a reindex | what changes in v2.3?
v2.4 brings back the CSV importer behind a flag | what did v2.4 bring
The flag max_inflight_batches must stay below 8 or the broker stalls | safe value for max_inflight_batches
The flag max_batch_bytes was raised to 4 MB on the ingest nodes | max_batch_bytes setting
getUserQuota returns stale numbers for ten minutes after an upgrade | why does getUserQuota look wrong
setUserQuota writes to the primary only and never to replicas | where does setUserQuota write
Error E1047 means the certificate chain is incomplete | meaning of E1047
Error E1074 appears when the disk quota of a tenant is used up | E1074 cause
Host db-07 has the slow disk, keep it out of the write pool | is there an issue with db-07?
Host db-17 runs the nightly backup at 02:15 | what runs on db-17
grammar::fa loads the Persian rules lazily | how does grammar::fa load its rules
Send invoices to accounts@fjord.example, never to sales | which mailbox is accounts@fjord.example for
""",
    "plain": """
We picked NATS over Kafka for the payments bus since the team is three people | which message bus do payments use?
Priya is allergic to walnuts and carries an injector | what is Priya allergic to?
The staging database is restored from production every Sunday night | when is the staging database restored?
Tomás moved from Porto to Zurich in March to join the compiler group | where does Tomás live now?
Our API rate limit is 600 requests a minute per token | what is the API rate limit per token?
Grandma's lentil soup needs cumin, smoked paprika and a whole lemon | what goes into grandma's lentil soup?
The marathon in Bergen is on 14 June and Uma runs the half distance | which distance does Uma run in Bergen?
Search results are cached for ninety seconds, keyed by tenant and locale | how long are search results cached?
Viktor prefers code reviews before lunch and no meetings on Thursdays | on which day does Viktor avoid meetings?
The mobile app moved from Redux to signals to cut re-renders | why did the mobile app move away from Redux?
The violin teacher changed the lesson to Tuesdays at five | when is the violin lesson?
Deploys to the Singapore region need approval from Wei | who approves deploys to Singapore?
The guest wifi in the cabin is called Lichen | what is the wifi in the cabin called?
Backups older than thirty-five days are moved to cold storage | after how many days are backups moved?
Kavya adopted a three-legged cat named Biscuit | what is the name of Kavya's cat?
The invoice service was rewritten in Rust after the third memory leak | which language is the invoice service written in?
""",
    "paraphrase": """
Lars became a father in April, a girl called Signe | has anyone had a baby recently?
The dentist said Noor must wear a splint at night | what dental treatment is she getting?
All customer records are encrypted before they touch the disk | how do we protect data at rest?
Oskar sold his car and cycles to the office | how does he commute?
We alert only when two probes in different regions fail | what triggers a page to the on-call engineer?
Mina stopped eating meat after the documentary | who is vegetarian?
The release train leaves every second Wednesday | how often do we ship to production?
Hugo's flight home got cancelled because of ash from the volcano | what disrupted his travel?
Passwords are hashed with argon2id, sixty-four megabytes per attempt | how are credentials stored?
Zoe lost the championship final in the tie-break | did she win the tennis tournament?
The intern broke the build by pinning numpy to an old version | which dependency caused the CI failure?
Elif writes with her left hand and hates spiral notebooks | what stationery should we not buy for a left-hander?
The lease of the flat ends in September and the landlord will not renew | when do they have to find a new apartment?
Quinn got the scholarship to read marine biology in Galway | what is being studied at university?
Requests above ten megabytes are turned away at the edge | what is the maximum upload size?
Femi's grandmother raised him after his parents emigrated | who brought him up as a child?
""",
}
