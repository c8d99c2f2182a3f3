"""Clients of the MCP server and their configuration files."""
