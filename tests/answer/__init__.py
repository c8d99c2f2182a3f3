"""Answering."""
