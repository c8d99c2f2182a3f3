"""Measurements behind the figures in the documentation."""
