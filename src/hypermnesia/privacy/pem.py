"""Private-key blocks: PEM, OpenPGP and PuTTY, whole or truncated, plain or escaped in JSON."""

from __future__ import annotations

from collections.abc import Iterator

from hypermnesia.privacy.scan import Finding, compiled

RULE = "private-key"
_HINTS = ("PRIVATE KEY", "Private-Lines", "Private-MAC")

# A begin or an end marker; both kinds are paired in one pass, which keeps the work linear.
_MARKER = r"-{4,5} ?(?P<kind>BEGIN|END) (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
# What may stand before, between and after the lines of a key: blanks, escapes, quotes, margins.
_FILL = r"(?:[\s>|#*,\"'`]|\\++[nrt\"'])*+"
_HEADERS = r"(?:[A-Z][A-Za-z-]{2,20}: [^\n\\]{1,80}" + _FILL + r"){0,4}+"
# Lines of base64; the last one may be short unless it is the first word of a sentence.
_LINE = r"[A-Za-z0-9+/=]{16,}+"
_TAIL = r"(?:[A-Za-z0-9+/=]{1,15}+(?=[^A-Za-z ]|\Z))?"
_BODY = rf"{_FILL}{_HEADERS}(?:{_LINE}{_FILL})*+{_TAIL}"
# A truncated key is a header with a body, or a header that is a line of its own.
_STARTS_KEY = (
    rf"{_FILL}{_HEADERS}(?:[A-Za-z0-9+/=]{{16}}|\Z)"
    rf"|[ \t\"']{{0,8}}(?:[\r\n]|\\++[nr]){_FILL}{_HEADERS}[A-Za-z0-9+/=]{{3,}}+(?=[^A-Za-z ]|\Z)"
)
# "-----BEGIN ...----- and ends with -----END ...-----": words instead of a body.
_PROSE = r"KEY(?: BLOCK)? ?-{4,5}[ \t]{1,4}[A-Za-z]{1,12} [A-Za-z]{1,12}[ \n]"
_PUTTY = r"Private-(?:Lines: \d{1,4}\s[A-Za-z0-9+/=\s]{16,}+|MAC: [0-9a-f]{32,}+)"


def find_private_keys(text: str) -> Iterator[Finding]:
    """Each private-key block with its markers; a marker quoted in prose is none."""
    if not any(hint in text for hint in _HINTS):
        return
    begin = -1
    for marker in compiled(_MARKER).finditer(text):
        if marker["kind"] == "BEGIN":
            if begin >= 0:
                yield from _truncated(text, begin)
            begin = marker.start()
        elif begin >= 0:
            if not compiled(_PROSE).search(text, begin, marker.start()):
                yield Finding(RULE, begin, marker.end())
            begin = -1
    if begin >= 0:
        yield from _truncated(text, begin)
    for match in compiled(_PUTTY).finditer(text):
        yield Finding(RULE, *match.span())


def _truncated(text: str, begin: int) -> Iterator[Finding]:
    """The key that starts at ``begin`` and has no end marker."""
    marker = compiled(_MARKER).match(text, begin)
    if marker is None or not compiled(_STARTS_KEY).match(text, marker.end()):
        return
    alone = not text[marker.end() : marker.end() + 80].strip("\\nrt \"'`\n\r\t")
    line = text[max(0, begin - 80) : begin].rpartition("\n")[2]
    if alone and line.strip(" \t>|#*\"'`"):
        return  # prose that ends by naming the marker
    body = compiled(_BODY).match(text, marker.end())
    yield Finding(RULE, begin, body.end() if body else marker.end())
