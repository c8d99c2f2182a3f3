"""Tests of refusal and redaction."""
