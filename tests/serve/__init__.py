"""Tests of the servers."""
