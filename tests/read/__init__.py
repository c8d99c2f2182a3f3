"""Tests of the read path."""
