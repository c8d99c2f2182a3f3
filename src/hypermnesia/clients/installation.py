"""Putting the server and the hooks into a client's files, and taking them out again.

Everything that is to be written is worked out, and checked, before the first file is touched.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, TypeAlias
from urllib.parse import urlsplit

from hypermnesia import validate
from hypermnesia.clients import command, file, hooks, jsonc, toml
from hypermnesia.clients.places import Client, Entry
from hypermnesia.clients.system import System
from hypermnesia.errors import InvalidInput
from hypermnesia.folders import expanded

ENTRY = "hypermnesia"
"""The name of the server in every file."""
TOKEN = "HYPERMNESIA_TOKEN"  # noqa: S105 - the name of a variable
"""The variable that holds the token of a service, unless another is named."""

Action: TypeAlias = Literal["created", "changed", "unchanged", "deleted"]


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked for.

    Attributes:
        store: the store file or URL; ``None`` = the configured one.
        scope: isolation boundary the agent is kept to; ``None`` = the agent names it.
        url: the HTTP service, in the place of a command.
        token: the variable that holds its token; ``None`` = the client signs in by OAuth.
        project: the folder, if only that project is meant.
        hooks: with session hooks.
    """

    store: str | None = None
    scope: str | None = None
    url: str | None = None
    token: str | None = TOKEN
    project: Path | None = None
    hooks: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file: its backup is there if it was there before and changed."""

    path: Path
    action: Action
    backup: Path | None = None


@dataclass(frozen=True, slots=True)
class Snippet:
    """What belongs into a file, as its format writes it."""

    path: Path
    text: str


@dataclass(frozen=True, slots=True)
class _Edit:
    """A file, what it holds now, and what it shall hold; ``after`` is ``None`` where it goes."""

    path: Path
    before: str | None
    after: str | None


def install(client: Client, wish: Wish, system: System) -> list[Outcome]:
    """Write the configuration; the same wish again changes nothing.

    Raises:
        InvalidInput: the client cannot do what is asked, or a file of it cannot be changed safely.
            Nothing is written then.
    """
    path = _path(client, wish, system)
    entry, form = _entry(client, wish), _form(client)
    edits = [_edit(path, lambda text: _with_entry(client, form, text, entry))]
    if wish.hooks:
        commands = _hook_commands(client, wish)
        edits.append(_edit(_settings(wish, system), lambda text: hooks.add(text, commands)))
    return [_apply(edit) for edit in edits]


def remove(client: Client, wish: Wish, system: System) -> list[Outcome]:
    """Take out what :func:`install` wrote, hooks included; a file that it made goes with it.

    Raises:
        InvalidInput: a file cannot be changed safely. Nothing is written then.
    """
    path, form = _path(client, wish, system), _form(client)
    edits = [_edit(path, lambda text: _without_entry(client, form, text))]
    if client.name == "claude-code":
        edits.append(_edit(_settings(wish, system), hooks.take_out))
    return [_apply(_emptied(edit)) for edit in edits]


def snippet(client: Client, wish: Wish, system: System) -> list[Snippet]:
    """What :func:`install` would write into files that hold nothing else.

    Raises:
        InvalidInput: the client cannot do what is asked.
    """
    path = _path(client, wish, system)
    text = _with_entry(client, _form(client), "", _entry(client, wish))
    shown = [Snippet(path, text)]
    if wish.hooks:
        document = {"hooks": _listed(hooks.entries(_hook_commands(client, wish)))}
        written = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
        shown.append(Snippet(_settings(wish, system), written))
    return shown


def _listed(events: dict[str, Any]) -> dict[str, list[Any]]:
    return {event: [group] for event, group in events.items()}


def _path(client: Client, wish: Wish, system: System) -> Path:
    if wish.project is None:
        return client.user(system)
    if client.project is None:
        raise InvalidInput(f"{client.title} has no configuration by project; leave out --project")
    return client.project(wish.project)


def _settings(wish: Wish, system: System) -> Path:
    return hooks.settings_file(system, wish.project)


def _entry(client: Client, wish: Wish) -> Entry:
    if wish.url is None:
        start = command.executable(shared=wish.project is not None)
        return client.starts(command.words(start, "mcp", store=_store(wish), scope=wish.scope))
    if wish.store is not None or wish.scope is not None:
        raise InvalidInput(
            "a service at --url has a store of its own, and a token says which scopes are open;"
            " leave out --store and --scope"
        )
    if client.reaches is None:
        raise InvalidInput(
            f"the configuration file of {client.title} takes no servers by URL;"
            " add the service in its settings under Connectors"
        )
    return client.reaches(_address(wish.url), wish.token)


def _store(wish: Wish) -> str | None:
    """The store as it is named from any folder.

    Raises:
        InvalidInput: it is a URL that holds a password.
    """
    if wish.store is None:
        return None
    if "://" not in wish.store:
        return str(expanded(wish.store).absolute())
    if urlsplit(wish.store).password is not None:
        raise InvalidInput(
            "the store's URL holds a password, which would stand in the client's file;"
            " give it in the client's environment, as HYPERMNESIA_STORE or PGPASSWORD"
        )
    return wish.store


def _address(url: str) -> str:
    """The address of the service's MCP endpoint; ``/mcp`` is added where a path is missing.

    Raises:
        InvalidInput: it is no address, or holds more than one.
    """
    try:
        parts = urlsplit(url)
        sound = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound, parts = False, urlsplit("")
    if not sound:
        raise InvalidInput("--url is the address of a service, such as http://127.0.0.1:8765/mcp")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise InvalidInput(
            "--url holds more than an address; put the token into a variable, see --token-env"
        )
    return url if parts.path.strip("/") else url.rstrip("/") + "/mcp"


def _hook_commands(client: Client, wish: Wish) -> dict[str, tuple[str, ...]]:
    if client.name != "claude-code":
        raise InvalidInput(f"session hooks are written for claude-code, not for {client.name}")
    if wish.url is not None:
        raise InvalidInput("session hooks work on a store of this machine; leave out --url")
    start = command.executable(shared=False)
    return {
        name: command.words(start, "hook", name, store=_store(wish), scope=wish.scope)
        for name in (hooks.START, hooks.END)
    }


def _form(client: Client) -> ModuleType:
    return toml if client.form == "toml" else jsonc


def _with_entry(client: Client, form: ModuleType, text: str, entry: Entry) -> str:
    values = form.read(text) or {}
    under = client.under(values)
    if _at(values, (*under, ENTRY)) == entry:
        return text
    return form.put(text, (*under, ENTRY), entry)


def _without_entry(client: Client, form: ModuleType, text: str) -> str:
    values = form.read(text)
    under = client.under(values)
    if _at(values, (*under, ENTRY)) is None:
        return text
    return form.prune(form.drop(text, (*under, ENTRY)), under)


def _at(values: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        values = values.get(key) if isinstance(values, dict) else None
    return values


def _edit(path: Path, change: Callable[[str], str]) -> _Edit:
    """Work a change out.

    Raises:
        InvalidInput: the file cannot be read or changed; the message names it.
    """
    try:
        before = file.load(path)
        return _Edit(path, before, change(file.body(before or "")))
    except InvalidInput as error:
        raise InvalidInput(f"{path} is left as it is: {error}") from None


def _emptied(edit: _Edit) -> _Edit:
    """A file that only held our entries, and was made for them, is deleted."""
    ours = edit.before is not None and not file.backups(edit.path)
    changed = edit.after != file.body(edit.before or "")
    if changed and ours and (edit.after or "").strip() in {"", "{}"}:
        return _Edit(edit.path, edit.before, None)
    return edit


def _apply(edit: _Edit) -> Outcome:
    if edit.after == file.body(edit.before or ""):
        return Outcome(edit.path, "unchanged")
    try:
        if edit.after is None:
            file.delete(edit.path)
            return Outcome(edit.path, "deleted")
        backup = file.save(edit.path, edit.after, edit.before)
    except InvalidInput as error:
        raise InvalidInput(f"{edit.path} is left as it is: {error}") from None
    return Outcome(edit.path, "created" if edit.before is None else "changed", backup)


def project_of(folder: Path) -> Path:
    """The project that a folder is in: the nearest one under version control, or the folder."""
    folder = folder.absolute()
    return next((one for one in (folder, *folder.parents) if (one / ".git").exists()), folder)


def scope_of(project: Path) -> str:
    """The scope a project is given when none is named: the name of its folder.

    Raises:
        InvalidInput: the name cannot be that of a scope.
    """
    return validate.scope(project.name)
