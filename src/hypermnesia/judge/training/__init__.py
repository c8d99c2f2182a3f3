"""Training the local judge further, on judgements that another judge made of a user's memories."""
