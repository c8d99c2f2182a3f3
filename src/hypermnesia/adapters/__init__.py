"""The memory in the shapes that agent frameworks expect; each module needs its framework alone.

- ``adapters.langgraph``: a store of LangGraph (extra ``langgraph``)
- ``adapters.llama_index``: a block of LlamaIndex's memory (extra ``llama-index``)
- ``adapters.openai_agents``: tools for the OpenAI Agents SDK (extra ``openai-agents``)
- ``adapters.pydantic_ai``: a toolset for Pydantic AI (extra ``pydantic-ai``)
- ``adapters.tools``: the same tools as plain functions, for any other framework
"""
