"""A report as one page that needs nothing else: no script, no network, light or dark."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from hypermnesia.evals.tables import Results, Table

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 68rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: .5rem 0; }
th, td { padding: .25rem .75rem; border-bottom: 1px solid var(--line); text-align: right; }
th:first-child, td:first-child { text-align: left; }
tbody tr:hover { background: var(--soft); }
.scroll, figure { overflow-x: auto; margin: 1rem 0; }
svg { max-width: 100%; height: auto; }
pre { background: var(--soft); padding: .75rem; overflow-x: auto; font-size: .85rem; }
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""Whatever stands in a name or text of the results: the page runs and loads nothing."""


def page(parts: Sequence[tuple[Results, Sequence[Table], Mapping[str, str]]]) -> str:
    """The whole page.

    Args:
        parts: of every run its results, its tables and its plots (name to SVG).
    """
    title = "Evaluation: " + ", ".join(found.name for found, _, _ in parts)
    body = "\n".join(line for part in parts for line in _section(*part))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{escape(title)}</h1>\n{body}\n</body>\n</html>\n"
    )


def _section(found: Results, tables: Sequence[Table], plots: Mapping[str, str]) -> Iterator[str]:
    yield f"<section>\n<h2>{escape(found.name)}</h2>"
    for table in tables:
        yield _table(table)
    for name, svg in plots.items():
        yield f'<figure role="img" aria-label="{escape(name)}">\n{svg}</figure>'
    if found.limits:
        yield f"<ul>{''.join(f'<li>{escape(limit)}</li>' for limit in found.limits)}</ul>"
    listed = json.dumps(found.manifest, indent=1, ensure_ascii=False)
    yield f"<details><summary>How it was made</summary>\n<pre>{escape(listed)}</pre></details>"
    yield "</section>"


def _table(table: Table) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in table.columns)
    rows = "\n".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in table.rows
    )
    return (
        f'<div class="scroll"><table>\n<caption>{escape(table.caption)}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table></div>"
    )
