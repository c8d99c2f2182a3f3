"""LoCoMo in six stages: episodes, hypergraph, index, retrieval, answers, judgement."""
