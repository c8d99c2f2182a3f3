"""Requests of the protocol, taken in by the event loop and carried out in threads."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol, TypeVar

import anyio.to_thread
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    InputRequiredResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
    Tool,
)

from hypermnesia import __version__
from hypermnesia.errors import Forbidden, HypermnesiaError, InvalidInput, NotFound
from hypermnesia.memory import Memory
from hypermnesia.serve.access import Access
from hypermnesia.serve.mcp_answers import Answer, clip
from hypermnesia.serve.mcp_arguments import checked
from hypermnesia.serve.mcp_call import Call
from hypermnesia.serve.mcp_confirm import Question, confirmed
from hypermnesia.serve.mcp_tools import BY_NAME, INSTRUCTIONS
from hypermnesia.serve.mcp_verbs import VERBS, bulk
from hypermnesia.serve.principal import OWNER, Principal

log = logging.getLogger("hypermnesia")

AT_ONCE = 8
"""Calls carried out at the same time; further ones wait their turn."""
UNCHANGING = CacheHint(ttl_ms=3_600_000, scope="public")
"""What a client may keep for an hour: it depends on the version and on how it was started."""
MAX_MESSAGE = 1000
"""Characters of an error's message."""
PREFIX = "memory://"
RESOURCES = 20
"""Memories on a page of ``resources/list``."""

Context = ServerRequestContext[Any, Any]
T = TypeVar("T")


class Carrier(Protocol):
    """Carries out what blocks, away from the event loop."""

    async def __call__(self, work: Callable[[], T]) -> T:
        """Do the work and return what came of it."""
        ...


class Threads:
    """The carrier of a process that serves one client."""

    def __init__(self) -> None:
        self._seats = anyio.CapacityLimiter(AT_ONCE)

    async def __call__(self, work: Callable[[], T]) -> T:
        """Do the work in a thread.

        A call that is cancelled is no longer waited for; a write under way still completes.
        """
        return await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._seats)


class Desk:
    """Serves one memory, in one scope or in any.

    Args:
        memory: opens it, or returns it when it is open.
        only: the one scope that it keeps to; ``None`` = any.
        carrier: does what blocks.
        principal_of: who sent a request.
    """

    def __init__(
        self,
        memory: Callable[[], Memory],
        only: str | None,
        *,
        carrier: Carrier | None = None,
        principal_of: Callable[[Context], Principal] = lambda _context: OWNER,
    ) -> None:
        self._memory = memory
        self._only = only
        self._carry_out = carrier or Threads()
        self._principal_of = principal_of

    def server(self) -> Server[Any]:
        """The SDK's server with this desk behind it."""
        return Server(
            "hypermnesia",
            title="Hypermnesia",
            version=__version__,
            instructions=INSTRUCTIONS,
            cache_hints={
                "tools/list": UNCHANGING,
                "resources/templates/list": UNCHANGING,
                "server/discover": UNCHANGING,
            },
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
            on_list_resources=self.list_resources,
            on_list_resource_templates=self.list_resource_templates,
            on_read_resource=self.read_resource,
        )

    async def list_tools(
        self, _context: Context, _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        """All tools on one page."""
        one_scope = self._only is not None
        return ListToolsResult(
            tools=[
                Tool.model_validate(tool.listing(one_scope=one_scope)) for tool in BY_NAME.values()
            ]
        )

    async def call_tool(
        self, context: Context, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        """Carry out a call; what goes wrong in it is told to the model that made it.

        Before much is erased the user is asked, if the client can do that; one that cannot has
        said ``dry_run: false``, which has to do.

        Raises:
            MCPError: there is no such tool.
        """
        if params.name not in BY_NAME:
            raise MCPError(
                INVALID_PARAMS, f"unknown tool {params.name[:60]!r}; one of {', '.join(BY_NAME)}"
            )
        client = context.session.client_params
        name = client.client_info.name if client else None
        principal = self._principal_of(context)
        try:
            call = Call(
                checked(BY_NAME[params.name], params.arguments), self._only, name, principal
            )
            if BY_NAME[params.name].writes and principal.read_only:
                raise Forbidden(f"{principal.name} may only read; {params.name} writes")
            doomed = await self._carry_out(lambda: self._bulk(params.name, call))
            if doomed:
                refused = await confirmed(context, params, Question(doomed))
                if refused is not None:
                    return refused
                # What was agreed to is erased, and nothing that came meanwhile.
                named = {"ids": list(doomed), **call.some("scope"), "dry_run": False}
                call = replace(call, arguments=named)
            return await self._carry_out(lambda: self._answered(params.name, call))
        except HypermnesiaError as error:
            return _failure(clip(str(error), MAX_MESSAGE))

    def _bulk(self, name: str, call: Call) -> tuple[str, ...]:
        return bulk(self._memory(), call) if name == "memory_forget" else ()

    async def list_resources(
        self, context: Context, params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        """The memories of the scope, newest first, a page at a time."""
        cursor = params.cursor if params else None
        principal = self._principal_of(context)

        def page() -> ListResourcesResult:
            memory = self._memory()
            scope = Access(memory, principal).scope(self._only)
            found = memory.list(scope=scope, limit=RESOURCES, cursor=cursor)
            return ListResourcesResult(
                resources=[
                    Resource(
                        uri=f"{PREFIX}{node.id}",
                        name=clip(" ".join(node.content.split()), 60),
                        description=f"{node.memory_type}, {node.valid_from:%Y-%m-%d}",
                        mime_type="text/plain",
                    )
                    for node in found
                ],
                next_cursor=found.cursor,
            )

        return await self._carry_out(lambda: _or_refusal(page))

    async def list_resource_templates(
        self, _context: Context, _params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        """How a memory is addressed."""
        return ListResourceTemplatesResult(
            resource_templates=[
                ResourceTemplate(
                    uri_template=f"{PREFIX}{{id}}",
                    name="memory",
                    title="A memory",
                    description="One memory as memory_get shows its first page.",
                    mime_type="text/plain",
                )
            ]
        )

    async def read_resource(
        self, context: Context, params: ReadResourceRequestParams
    ) -> ReadResourceResult:
        """One memory by its address.

        Raises:
            MCPError: no memory has this address, which its data repeat; or the store cannot be
                read.
        """
        uri = str(params.uri)
        about = {"uri": clip(uri, MAX_MESSAGE)}
        if not uri.startswith(PREFIX):
            message = f"{uri[:80]!r} is no memory; they are {PREFIX}<id>"
            raise MCPError(INVALID_PARAMS, message, about)
        wanted = {"id": uri.removeprefix(PREFIX).rstrip("/")}
        call = Call(wanted, self._only, principal=self._principal_of(context))

        def read() -> ReadResourceResult:
            text = VERBS["memory_get"](self._memory(), call).text
            return ReadResourceResult(
                contents=[TextResourceContents(uri=uri, text=text, mime_type="text/plain")]
            )

        return await self._carry_out(lambda: _or_refusal(read, about))

    def _answered(self, name: str, call: Call) -> CallToolResult:
        try:
            return _result(VERBS[name](self._memory(), call))
        except HypermnesiaError as error:
            return _failure(clip(str(error), MAX_MESSAGE))
        except Exception:
            # The outermost adapter: a model can do nothing with a traceback, and it may quote
            # a memory; whoever runs the server finds it in the log.
            log.exception("%s failed", name)
            return _failure(f"{name} failed unexpectedly; the server's log (stderr) says why")


def _result(answer: Answer) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=answer.text)], structured_content=answer.data
    )


def _failure(message: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=message)], is_error=True)


def _or_refusal(work: Callable[[], T], about: Mapping[str, str] | None = None) -> T:
    """Resources have no result that could tell of a failure: the protocol's error does.

    Args:
        work: reads them.
        about: the error's data.
    """
    try:
        return work()
    except HypermnesiaError as error:
        callers = isinstance(error, InvalidInput | NotFound)
        code = INVALID_PARAMS if callers else INTERNAL_ERROR
        raise MCPError(code, clip(str(error), MAX_MESSAGE), about) from None
    except Exception as error:
        log.exception("a resource could not be read")
        message = "failed; the server's log (stderr) says why"
        raise MCPError(INTERNAL_ERROR, message, about) from error
