"""Numbered scripts, each run once, in order, inside the schema of the store."""
