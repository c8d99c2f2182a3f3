"""Bad input, broken files and killed processes."""
