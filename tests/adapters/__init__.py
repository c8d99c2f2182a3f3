"""The memory in the shapes of agent frameworks."""
