"""Construction without a language model."""
