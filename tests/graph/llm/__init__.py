"""Construction by a language model, against local servers that speak its protocol."""
