"""The write path: from a text to a judged, indexed, searchable memory."""
