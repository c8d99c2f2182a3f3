"""Judges: local, remote, and the chain that falls back from one to the next."""
