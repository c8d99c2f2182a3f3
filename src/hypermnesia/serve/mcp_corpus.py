"""The tools of the reasoning corpus."""

from __future__ import annotations

from hypermnesia.memory import Memory
from hypermnesia.serve.mcp_answers import Answer
from hypermnesia.serve.mcp_call import Call


def corpus_stats(memory: Memory, call: Call) -> Answer:
    """What a scope has queued for the reasoning corpus."""
    agreed = memory.corpus_consent(scope=call.scope(memory))
    found = memory.corpus_stats(scope=agreed.scope)
    data = {
        "scope": agreed.scope,
        "consent": agreed.given,
        "pending": found.pending,
        "uploaded": found.uploaded,
        "by_use_case": {tally.use_case: tally.pending for tally in found.tallies},
    }
    agrees = "agrees" if agreed.given else "does not agree"
    return Answer(
        f"Scope {agreed.scope} {agrees} to the corpus: {found.pending} judgements wait,"
        f" {found.uploaded} left.",
        data,
    )


def corpus_sync(memory: Memory, call: Call) -> Answer:
    """Hand over what a scope has queued."""
    agreed = memory.corpus_consent(scope=call.scope(memory))
    if not agreed.given:
        text = f"Scope {agreed.scope} does not agree to the corpus: nothing leaves."
        return Answer(text, {"rows": 0, "pending": 0, "consent": False})
    done = memory.corpus_flush(scope=agreed.scope)
    text = f"{done.rows} judgements left, {done.pending} wait."
    if done.withheld:
        text += f" {done.withheld} stay for good: the scan of the file found something in them."
    data = {"rows": done.rows, "withheld": done.withheld, "pending": done.pending}
    return Answer(text, {**data, "consent": True})
