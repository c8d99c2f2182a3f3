"""Tests of the reasoning corpus."""
