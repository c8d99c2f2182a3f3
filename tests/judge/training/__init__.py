"""Training the local judge further."""
