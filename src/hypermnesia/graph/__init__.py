"""Conversations in: messages become turns, facts, episodes and topics of one hypergraph."""
