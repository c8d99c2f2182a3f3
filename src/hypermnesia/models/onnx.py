"""ONNX Runtime, imported only when a model is used, and told to send nothing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hypermnesia.errors import ModelError

_SILENT = "ORT_DISABLE_TELEMETRY"


def session(path: Path, *, threads: int, entries: Mapping[str, str] | None = None) -> Any:
    """An inference session on the processor.

    Since 1.32 the library reports to its maker on Linux, too: the first import leaves a device id
    in the user's cache folder and looks its server up. Only a variable that is set before the
    import keeps it from that; whoever has set it otherwise is left their choice.

    Args:
        path: the model.
        threads: cores that a forward pass may use; 0 = all.
        entries: further settings of the session.

    Raises:
        ModelError: it cannot be loaded.
    """
    os.environ.setdefault(_SILENT, "1")
    import onnxruntime  # noqa: PLC0415 - loaded only when a model is used

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3  # errors only: stderr belongs to the user
    for name, value in (entries or {}).items():
        options.add_session_config_entry(name, value)
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's exceptions share no public base
        raise ModelError(f"{path} cannot be loaded as an ONNX model: {error}") from error
