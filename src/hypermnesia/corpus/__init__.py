"""The reasoning corpus: redacted judgements of scopes that agreed to it."""
