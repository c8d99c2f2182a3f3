"""Tests of the hypergraph's construction."""
