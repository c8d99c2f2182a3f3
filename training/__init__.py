"""Training and measuring the models that ship with the package; a development tool."""
