"""OAuth 2.1 for MCP clients: metadata, registration, consent, tokens, revocation."""
