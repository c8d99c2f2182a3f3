"""Stores: rows, lexical index, vectors and log behind one transaction."""
