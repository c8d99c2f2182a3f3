"""Construction by a language model, each step with the local form to stand in for it."""

from hypermnesia.graph.llm.construct import LlmConstructor

__all__ = ["LlmConstructor"]
