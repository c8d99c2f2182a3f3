"""Tests of the systems that comparisons run on."""
