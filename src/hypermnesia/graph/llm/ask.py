"""Asking a language model a step's question until it answers usably, or doing without it."""

from __future__ import annotations

import hashlib
import json
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from hypermnesia.errors import InvalidInput, ModelError
from hypermnesia.graph.constructor import Usage
from hypermnesia.graph.llm.fields import Fields
from hypermnesia.graph.llm.show import block
from hypermnesia.graph.llm.steps import STEPS, Step
from hypermnesia.models.answer_cache import AnswerCache
from hypermnesia.models.chat import Completion, LanguageModel, Message, read_json

T = TypeVar("T")

RETRIES = 3
"""Times that a model is told what was wrong with its answer and asked again."""
FAILURES = 3
"""Requests in a row without any answer after which a run no longer asks."""
ECHO = 2_000
"""Characters of an unusable answer that are shown to the model again."""

_CORRECTION = "That answer cannot be used: {reason}. Answer again with the JSON object alone."

logger = logging.getLogger("hypermnesia")


class Asker:
    """Puts questions to a model for the length of one run; safe to share between threads.

    Args:
        model: that answers.
        cache: of answers that were usable; ``None`` = keep none.
    """

    def __init__(self, model: LanguageModel, cache: AnswerCache | None) -> None:
        self._model = model
        self._cache = cache
        self._lock = threading.Lock()
        self._usage = {step.name: Usage() for step in STEPS}
        self._failures = 0

    @property
    def usage(self) -> dict[str, Usage]:
        """What was asked so far, by step; steps that never came up are left out."""
        with self._lock:
            return {name: replace(used) for name, used in self._usage.items() if used != Usage()}

    def ask(
        self,
        step: Step,
        data: Mapping[str, Any],
        read: Callable[[Fields], T],
        otherwise: Callable[[], T],
    ) -> T:
        """What an answer says.

        Args:
            step: the question.
            data: what it is about; shown to the model as data.
            read: takes the answer apart, and raises InvalidInput when it cannot be used.
            otherwise: the local form, which stands in for an answer.
        """
        prompt = (Message("system", step.task), Message("user", block(data)))
        key = self._key(step, prompt)
        kept = self._kept(step, key, read)
        if kept is not None:
            return kept[0]
        try:
            return self._answer(step, prompt, key, read)
        except ModelError as error:
            self._count(step, Usage(fallbacks=1))
            logger.warning("%s: the local form stands in, because %s", step.name, error)
            return otherwise()

    def _answer(
        self, step: Step, prompt: Sequence[Message], key: str, read: Callable[[Fields], T]
    ) -> T:
        """A usable answer, cached.

        An answer that is given again in spite of its correction ends the matter: the next
        correction would be the same, too.

        Raises:
            ModelError: there is none.
        """
        corrections: list[Message] = []
        reason = ""
        for _ in range(1 + RETRIES):
            completion = self._complete(step, [*prompt, *corrections])
            try:
                found = _read(completion, read)
            except (InvalidInput, ModelError) as error:
                reason = str(error)
                again = _corrections(completion, reason)
                if again == corrections:
                    break
                corrections = again
                continue
            if self._cache is not None:
                self._cache.put(key, completion.text)
            return found
        raise ModelError(f"the model gave no usable answer: {reason}")

    def _complete(self, step: Step, prompt: Sequence[Message]) -> Completion:
        """One answer, counted.

        Raises:
            ModelError: the server gave none, or gave none too often to ask again.
        """
        with self._lock:
            if self._failures >= FAILURES:
                raise ModelError(f"it failed {FAILURES} times in a row; not asked again")
        try:
            completion = self._model.complete(
                prompt, schema=step.schema, max_tokens=step.max_tokens
            )
        except ModelError:
            self._count(step, Usage(requests=1))
            with self._lock:
                self._failures += 1
            raise
        counted = Usage(1, 0, completion.input_tokens, completion.output_tokens)
        self._count(step, counted)
        with self._lock:
            self._failures = 0
        return completion

    def _kept(self, step: Step, key: str, read: Callable[[Fields], T]) -> tuple[T] | None:
        """What a cached answer says, checked like a fresh one."""
        text = None if self._cache is None else self._cache.get(key)
        if text is None:
            return None
        try:
            found = read(Fields(read_json(text)))
        except (InvalidInput, ModelError):  # read by other rules when it was written: ask anew
            return None
        self._count(step, Usage(cached=1))
        return (found,)

    def _key(self, step: Step, prompt: Sequence[Message]) -> str:
        """Digest of everything that an answer depends on."""
        asked = [
            self._model.identity,
            step.name,
            step.schema,
            step.max_tokens,
            [[message.role, message.content] for message in prompt],
        ]
        return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()

    def _count(self, step: Step, more: Usage) -> None:
        with self._lock:
            used = self._usage[step.name]
            self._usage[step.name] = Usage(
                requests=used.requests + more.requests,
                cached=used.cached + more.cached,
                input_tokens=used.input_tokens + more.input_tokens,
                output_tokens=used.output_tokens + more.output_tokens,
                fallbacks=used.fallbacks + more.fallbacks,
            )


def _read(completion: Completion, read: Callable[[Fields], T]) -> T:
    """What an answer says; one that was cut would silently lack its end.

    Raises:
        InvalidInput: it cannot be used.
        ModelError: it is no JSON object.
    """
    if completion.truncated:
        raise InvalidInput("it was cut at the limit of its length; answer more briefly")
    return read(Fields(read_json(completion.text)))


def _corrections(completion: Completion, reason: str) -> list[Message]:
    return [
        Message("assistant", completion.text[:ECHO] or "{}"),
        Message("user", _CORRECTION.format(reason=reason)),
    ]
