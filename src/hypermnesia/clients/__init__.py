"""Clients of the MCP server: what is written where, so that each of them starts it."""

from __future__ import annotations

from hypermnesia.clients.installation import Outcome, Wish, install, remove, snippet
from hypermnesia.clients.places import CLIENTS, Client

__all__ = ["CLIENTS", "Client", "Outcome", "Wish", "install", "remove", "snippet"]
