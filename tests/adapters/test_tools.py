"""The tools, called by the frameworks themselves.

Each framework takes seconds to load, and every process of the tests collects all of them: it is
loaded by its test.
"""

from __future__ import annotations

import asyncio
import json

from hypermnesia import Memory
from hypermnesia.adapters.tools import functions

FACT = "We chose NATS over Kafka for billing."


def test_the_tools_keep_to_their_scope(memory: Memory) -> None:
    """And answer with a text whatever happens."""
    recall, remember = functions(memory, "a")
    assert remember(FACT).startswith("active")
    assert FACT in recall("What carries billing?")
    other, _ = functions(memory, "b")
    assert other("What carries billing?") == "nothing found"
    assert recall("").startswith("error: ")
    assert remember(" ").startswith("error: ")


def test_an_agent_of_openai_calls_them(memory: Memory) -> None:
    """By their names and schemas."""
    from agents.tool_context import ToolContext

    from hypermnesia.adapters.openai_agents import tools

    recall, remember = tools(memory, "a")
    assert (recall.name, remember.name) == ("recall", "remember")
    assert recall.params_json_schema["required"] == ["question"]
    assert remember.params_json_schema["properties"]["fact"]["description"]

    async def call() -> str:
        for tool, arguments in ((remember, {"fact": FACT}), (recall, {"question": "billing?"})):
            text = json.dumps(arguments)
            context = ToolContext(None, tool_name=tool.name, tool_call_id="1", tool_arguments=text)
            answer = await tool.on_invoke_tool(context, text)
        return answer

    assert FACT in asyncio.run(call())


def test_an_agent_of_pydantic_calls_them(memory: Memory) -> None:
    """A model that remembers, recalls and answers."""
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    from hypermnesia.adapters.pydantic_ai import toolset

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        assert {tool.name for tool in info.function_tools} == {"recall", "remember"}
        said = [part for message in messages for part in message.parts]
        answers = [part.content for part in said if part.part_kind == "tool-return"]
        match len(answers):
            case 0:
                return ModelResponse([ToolCallPart("remember", {"fact": FACT})])
            case 1:
                return ModelResponse([ToolCallPart("recall", {"question": "billing?"})])
            case _:
                return ModelResponse([TextPart(str(answers[-1]))])

    agent = Agent(FunctionModel(model), toolsets=[toolset(memory, "a")])
    # Not run_sync, which leaves an event loop open behind it.
    assert FACT in asyncio.run(agent.run("Remember this.")).output
