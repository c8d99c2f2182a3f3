"""Construction without a language model: pure functions over turns, fast and always the same."""

from hypermnesia.graph.local.construct import LocalConstructor
from hypermnesia.graph.local.settings import Thresholds

__all__ = ["LocalConstructor", "Thresholds"]
