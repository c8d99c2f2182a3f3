"""Coverage-guided fuzzing, started by hand: see the modules."""
