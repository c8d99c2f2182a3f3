"""Tests of the write path."""
