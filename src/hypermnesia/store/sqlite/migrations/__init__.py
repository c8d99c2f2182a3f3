"""Numbered schema scripts, applied in order."""
