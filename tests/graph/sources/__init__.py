"""Tests of the readers of conversations."""
