"""Files on the Hugging Face hub, through its own client."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Mapping
from typing import Any

from hypermnesia.corpus.files import needed
from hypermnesia.engine import CorpusPolicy
from hypermnesia.errors import CorpusError, InvalidInput

_REPO = re.compile(r"[\w.-]{1,96}/[\w.-]{1,96}", re.ASCII)

UPLOAD_WAIT = 300.0
"""Seconds an upload may take: the client itself would wait for ever for a server that is silent."""


def upload(policy: CorpusPolicy, files: Mapping[str, bytes], message: str) -> None:
    """Put files into the data set in one commit; what is there already is not sent again.

    A data set that is not there is made, visible to its owner alone.

    Args:
        policy: names the data set; its host comes from ``HF_ENDPOINT``, as for every client.
        files: contents by path.
        message: of the commit.

    Raises:
        InvalidInput: the data set has no proper name, or the client is not installed.
        CorpusError: the hub did not take them.
    """
    if not _REPO.fullmatch(policy.repo or ""):
        raise InvalidInput(f"corpus_repo is {policy.repo!r}; name a data set as owner/name")
    hub = needed("huggingface_hub")
    token = None if policy.token is None else policy.token.get_secret_value()
    api = hub.HfApi(endpoint=os.environ.get("HF_ENDPOINT") or None, token=token)
    operations = [
        hub.CommitOperationAdd(path_in_repo=path, path_or_fileobj=content)
        for path, content in files.items()
    ]

    def commit() -> None:
        api.create_repo(policy.repo, repo_type="dataset", private=True, exist_ok=True)
        api.create_commit(policy.repo, operations, commit_message=message, repo_type="dataset")

    _within(UPLOAD_WAIT, commit, f"the data set {policy.repo} on the hub")


def _within(seconds: float, work: Callable[[], None], what: str) -> None:
    """Carry out work in a thread that nobody waits for longer than so many seconds."""
    failed: list[Exception] = []

    def run() -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001 - told below: the client raises what HTTP raises
            failed.append(error)

    thread = threading.Thread(target=run, name="hypermnesia-upload", daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise CorpusError(f"{what} did not answer within {seconds:g} s; try again")
    if failed:
        raise CorpusError(f"{what} did not take the rows ({_reason(failed[0])})") from failed[0]


def _reason(error: Exception) -> str:
    """What went wrong, without what a server says: it may quote what it was sent."""
    response: Any = getattr(error, "response", None)
    status = getattr(response, "status_code", None)
    if status in {401, 403}:
        return f"HTTP {status}; set HYPERMNESIA_HUB_TOKEN to a token that may write to it"
    return type(error).__name__ if status is None else f"HTTP {status}"
