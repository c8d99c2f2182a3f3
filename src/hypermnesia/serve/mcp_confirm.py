"""Asking the person behind a client before much is erased.

Since 2026-07-28 a server asks by its result, and the client calls again with the answer; before,
it sent a request of its own over the session. Nothing is kept between the two calls: the second
is asked anew unless it concerns the very memories that the answer was given for.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
    TextContent,
)

KEY = "erase"
"""Name of the question, and of its only field."""
MULTI_ROUND_SINCE = "2026-07-28"


@dataclass(frozen=True, slots=True)
class Question:
    """Whether these memories may be erased.

    Attributes:
        ids: of the memories; at least one.
    """

    ids: tuple[str, ...]

    @property
    def state(self) -> str:
        """Tells whether an answer belongs to this question."""
        return hashlib.sha256("\n".join(sorted(self.ids)).encode()).hexdigest()

    @property
    def text(self) -> str:
        """As a person reads it."""
        number = len(self.ids)
        return f"Erase {number:,} memor{'y' if number == 1 else 'ies'} for good?"

    @property
    def form(self) -> dict[str, Any]:
        """Schema of the answer."""
        field = {"type": "boolean", "title": "Erase for good", "description": self.text}
        return {"type": "object", "properties": {KEY: field}, "required": [KEY]}


async def confirmed(
    context: ServerRequestContext[Any, Any], params: CallToolRequestParams, question: Question
) -> CallToolResult | InputRequiredResult | None:
    """Ask, if the client can; ``None`` = the answer is yes, or there is nobody to ask."""
    if not _can_ask(context):
        return None
    if context.protocol_version < MULTI_ROUND_SINCE:
        try:
            given = await context.session.elicit_form(
                question.text, question.form, context.request_id
            )
        except MCPError:
            return _kept()
        return None if _is_yes(given) else _kept()
    given = (params.input_responses or {}).get(KEY)
    if given is None or params.request_state != question.state:
        form = ElicitRequestFormParams(message=question.text, requested_schema=question.form)
        return InputRequiredResult(
            input_requests={KEY: ElicitRequest(params=form)}, request_state=question.state
        )
    return None if _is_yes(given) else _kept()


def _can_ask(context: ServerRequestContext[Any, Any]) -> bool:
    """Whether the client shows forms; ``elicitation: {}`` means that it does."""
    able = context.session.client_capabilities
    asks = able.elicitation if able else None
    return asks is not None and (asks.form is not None or asks.url is None)


def _is_yes(given: object) -> bool:
    if not isinstance(given, ElicitResult) or given.action != "accept":
        return False
    return (given.content or {}).get(KEY) is True


def _kept() -> CallToolResult:
    text = "Nothing was erased: the user did not agree."
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content={"ids": [], "dry_run": True, "count": 0},
    )
