"""Servers: adapters from a protocol to the facade."""
