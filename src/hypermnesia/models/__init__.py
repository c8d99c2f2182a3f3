"""Models: encoder, late interaction, and adapters for remote ones."""
