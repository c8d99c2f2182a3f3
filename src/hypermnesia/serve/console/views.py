"""Which view answers at which address."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from starlette.responses import Response

from hypermnesia.serve.console import (
    access,
    activity,
    corpus,
    graph,
    health,
    home,
    review,
    search,
    single,
    timeline,
    transfer,
    usage,
)
from hypermnesia.serve.console.visit import Visit

PAGES: Mapping[str, Callable[[Visit], Response]] = {
    "": home.show,
    "/search": search.show,
    "/memory": single.show,
    "/edit": single.edit,
    "/forget": single.ask_forget,
    "/timeline": timeline.show,
    "/timeline/part": timeline.part,
    "/graph": graph.show,
    "/graph/members": graph.members,
    "/review/gate": review.gate,
    "/review/changes": review.changes,
    "/corpus": corpus.show,
    "/corpus/withdraw": corpus.ask_withdraw,
    "/corpus/export": corpus.export,
    "/access": access.show,
    "/access/revoke": access.ask_revoke,
    "/usage": usage.show,
    "/activity": activity.show,
    "/activity/part": activity.part,
    "/health": health.show,
    "/transfer": transfer.show,
    "/transfer/part": transfer.part,
    "/transfer/export": transfer.export,
}
"""What can be looked at; nothing here changes anything."""
ACTIONS: Mapping[str, Callable[[Visit], Response]] = {
    "/add": home.add,
    "/edit": single.change,
    "/put-back": single.put_back,
    "/restore": single.restore,
    "/pin": single.pin,
    "/forget": single.forget,
    "/review/gate": review.decide,
    "/review/demote": review.demote,
    "/review/undo": review.undo,
    "/corpus/consent": corpus.give,
    "/corpus/withdraw": corpus.withdraw,
    "/corpus/flush": corpus.flush,
    "/access": access.create,
    "/access/revoke": access.revoke,
    "/health": health.check,
    "/import": transfer.import_,
    "/import/conversation": transfer.ingest,
    "/transfer/cancel": transfer.cancel,
}
"""What changes something: forms with a token."""
