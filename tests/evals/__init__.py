"""Evaluation: metrics, results, reports, claims."""
