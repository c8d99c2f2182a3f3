"""Honest evaluation: data sets and simulations, metrics, raw results, reports, claim checks."""
