"""The HTTP service: REST, MCP and what operates them, in one ASGI application."""
