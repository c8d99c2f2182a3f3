"""Tests of the HTTP service: a real server, and whatever talks to it."""
