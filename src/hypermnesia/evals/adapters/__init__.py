"""Memory systems behind one small protocol, so that they can be measured on the same data."""
