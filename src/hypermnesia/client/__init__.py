"""A client of the service: the verbs of :class:`hypermnesia.Memory`, over HTTP.

>>> from hypermnesia.client import Client
>>> with Client("http://127.0.0.1:8765", token="...") as memory:
...     memory.add("We chose NATS over Kafka for billing")
...     hits = memory.search("what does billing use now?")

:class:`AsyncClient` has the same verbs, to be awaited.
"""

from __future__ import annotations

from hypermnesia.client.awaiting import AsyncClient
from hypermnesia.client.blocking import Client

__all__ = ["AsyncClient", "Client"]
