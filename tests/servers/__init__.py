"""Local servers that speak the protocols of remote models, for real HTTP in tests."""
