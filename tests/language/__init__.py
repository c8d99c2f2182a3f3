"""Tests of what is read from the form of a text."""
