"""The torture program: that it objects when something is lost, and a short run of each fault."""
