"""Settings, and the one place where they become running parts.

Longer than most modules: half of it is the list of every setting with its bounds, and what
composes the parts is read beside it.
"""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from hypermnesia.engine import (
    CHANNELS,
    CONTEXT_LEVELS,
    SUPERSEDE_THRESHOLD,
    Channel,
    CorpusPolicy,
    Engine,
    Fusion,
    GraphPolicy,
    Preset,
    RecallRedaction,
    Rerank,
    RowFormat,
)
from hypermnesia.errors import InvalidInput, StoreError
from hypermnesia.folders import expanded, user_folder
from hypermnesia.judge.chain import Chain
from hypermnesia.judge.protocol import Judge
from hypermnesia.models.answer_cache import AnswerCache
from hypermnesia.models.chat import ChatClient, LanguageModel
from hypermnesia.models.encoder import WINDOW, Embedder, OnnxEncoder
from hypermnesia.models.propagation import LAMBDA
from hypermnesia.models.rerank import OnnxCrossEncoder, RerankEndpoint, Reranker
from hypermnesia.privacy import StoredSecrets
from hypermnesia.read.coarse_to_fine import RETURNED
from hypermnesia.store.protocol import Store
from hypermnesia.types import Level

if TYPE_CHECKING:
    from hypermnesia.judge.local_heads import Heads

JudgeName = Literal["local", "system_one", "chat", "off"]
SHIPPED_HEADS = "shipped"


class Settings(BaseSettings):
    """Every knob, from ``HYPERMNESIA_*`` variables, a TOML file and arguments, in rising order.

    The TOML file is ``config.toml`` in the platform's configuration directory, or the one
    that ``HYPERMNESIA_CONFIG`` names. Keys are read from the environment alone.
    """

    model_config = SettingsConfigDict(
        env_prefix="HYPERMNESIA_", extra="forbid", frozen=True, hide_input_in_errors=True
    )

    store: str | None = Field(
        None,
        repr=False,  # a URL may hold a password
        description="A file, or `postgresql://user@host/database`; default: a file in the platform"
        " data directory.",
    )
    postgres_pool: int = Field(
        10, ge=1, le=1000, description="Connections of one process to PostgreSQL at most."
    )
    postgres_replica: str | None = Field(
        None,
        repr=False,
        description="URL of a standby of the PostgreSQL store that searches read from.",
    )
    scope: str = Field("default", description="Scope used when none is given.")
    busy_timeout: float = Field(
        10.0, gt=0, le=600, description="Seconds to wait for another writer."
    )
    preset: Preset = Field(
        "default", description="Read path: `default`, or `dgui` or `hypermem` as published."
    )
    channel_depth: int = Field(60, ge=10, le=1000, description="Candidates asked of each channel.")
    fusion: Fusion | None = Field(
        None,
        description="`absolute`, `rrf` or `z_score`; default: `rrf` for `dgui`, else `absolute`.",
    )
    lexical_weight: float = Field(
        1.0, ge=0, le=10, description="Weight of the lexical channel in `rrf` and `z_score`."
    )
    channels: tuple[Channel, ...] = Field(
        CHANNELS,
        min_length=1,
        description="What scores a memory, but for `hypermem`; `late` alone takes what the others"
        " find.",
    )
    rank_salience: bool = Field(
        default=True, description="Salience takes part in the rank; false: all count alike."
    )
    redact: RecallRedaction = Field(
        "secrets", description="What recall masks: `secrets`, `personal` (both), or `off`."
    )
    secrets: StoredSecrets = Field(
        "redact",
        description="What becomes of passwords and tokens in what is stored: `redact` (masked),"
        " `refuse`, or `keep`. Keys that open an account by themselves are always refused.",
    )
    context_levels: tuple[Level, ...] | None = Field(
        None,
        min_length=1,
        description="Levels that a context and an answer draw on; default: `turn, fact, episode`,"
        " for `hypermem` as published `fact, episode`.",
    )
    graph_levels: tuple[Literal["topic", "episode"], ...] = Field(
        ("topic", "episode"),
        description="Heads that lead to memories: a gate in `hypermem`, a prior in `default`.",
    )
    graph_weights: bool = Field(
        default=True,
        description="Members count by weight, in propagation and priors; false: all alike.",
    )
    graph_lambda: float = Field(
        LAMBDA, ge=0, le=10, description="Share of hyperedges in embeddings of `hypermem`; 0: none."
    )
    graph_topics: int = Field(10, ge=1, le=1000, description="Topics that `hypermem` keeps.")
    graph_episodes: int = Field(10, ge=1, le=1000, description="Episodes that `hypermem` keeps.")
    graph_facts: int = Field(30, ge=1, le=1000, description="Facts that `hypermem` keeps.")
    graph_candidates: int = Field(
        100, ge=1, le=1000, description="Candidates of each channel at each level of `hypermem`."
    )
    graph_rerank: Rerank = Field(
        "off",
        description="Who reranks each level of `hypermem`: nobody, the judge, or `rerank_model`.",
    )
    graph_prior: float = Field(
        0.0, ge=0, le=20, description="Log-odds that matching heads add in `default`; 0: none."
    )
    graph_flat: bool = Field(
        default=True,
        description="`default` finds what no head leads to, too; false: a gate as in `hypermem`.",
    )
    graph_turns: bool = Field(
        default=True, description="`default` searches turns; false: only what was made of them."
    )
    graph_talk: bool = Field(
        default=True,
        description="`default` ranks turns by context, speaker and date; false, or with another"
        " `fusion` or fewer `channels`: each like a note.",
    )
    rerank_model: str | None = Field(
        None, description="Directory of a cross-encoder, or a rerank server's name for its model."
    )
    rerank_url: str | None = Field(None, description="Base URL of a rerank server.")
    gate: float | None = Field(
        None, ge=0, le=4, description="Salience gate; default: calibrated for the judge."
    )
    supersede_threshold: float = Field(
        SUPERSEDE_THRESHOLD, ge=0.5, le=1, description="Probability that retires an older memory."
    )
    judge: JudgeName = Field("local", description="Judge asked first.")
    judge_heads: str | None = Field(
        None,
        description="File of the local judge's own heads, or `shipped` for none; default: what"
        " `judge train` installed, if it did.",
    )
    judge_url: str | None = Field(None, description="Base URL of a remote judge.")
    judge_model: str | None = Field(None, description="Model name a remote judge is asked for.")
    judge_timeout: float = Field(10.0, gt=0, le=300, description="Seconds per judge request.")
    judge_attempts: int = Field(3, ge=1, le=10, description="Requests made before falling back.")
    llm_url: str | None = Field(
        None, description="Base URL of a language model that constructs and answers; default: none."
    )
    llm_model: str | None = Field(None, description="Model name a language model is asked for.")
    llm_timeout: float = Field(60.0, gt=0, le=900, description="Seconds per answer.")
    llm_attempts: int = Field(
        3, ge=1, le=10, description="Requests made for one answer when the server fails."
    )
    llm_concurrency: int = Field(
        4, ge=1, le=64, description="Questions to the language model at once."
    )
    llm_cache: str | None = Field(
        None, description="File of cached answers, or `off`; default: in the platform's cache."
    )
    encoder: str = Field(
        "bundled", description="`bundled`, a model directory, or the URL of an embeddings endpoint."
    )
    encoder_model: str | None = Field(None, description="Model name of an embeddings endpoint.")
    encoder_dimension: int | None = Field(
        None, ge=1, le=8192, description="Vector length of an embeddings endpoint."
    )
    encoder_window: int = Field(
        WINDOW, ge=64, le=8192, description="Word pieces per forward pass of a local encoder."
    )
    query_prefix: str = Field("", description="Text a local encoder wants before queries.")
    passage_prefix: str = Field("", description="Text a local encoder wants before memories.")
    threads: int = Field(0, ge=0, le=256, description="Cores the encoder may use; 0 = all.")
    corpus_folder: str | None = Field(
        None, description="Folder that judgements leave to; default: in the platform's data folder."
    )
    corpus_format: RowFormat = Field("jsonl", description="Of the files there: `jsonl`, `parquet`.")
    corpus_repo: str | None = Field(
        None, description="Data set on the Hugging Face hub that gets them, too, as `owner/name`."
    )
    corpus_interval: float = Field(
        0.0, ge=0, le=10_000, description="Hours between hand-overs by `serve`; 0: none by itself."
    )
    serve_host: str = Field("127.0.0.1", description="Address that `serve` listens on.")
    serve_port: int = Field(8765, ge=0, le=65535, description="Port of `serve`; 0: any free one.")
    serve_threads: int = Field(
        8, ge=1, le=256, description="Calls that `serve` carries out at once."
    )
    serve_timeout: float = Field(
        60.0, gt=0, le=3600, description="Seconds that `serve` gives a request."
    )
    serve_body: int = Field(
        8_000_000, ge=1000, le=2**31, description="Bytes of a request to `serve`, at most."
    )
    serve_upload: int = Field(
        64_000_000, ge=1000, le=2**30, description="The same for conversations and imports."
    )
    serve_body_timeout: float = Field(
        30.0, gt=0, le=3600, description="Seconds in which the body of a request has to arrive."
    )
    serve_backup_folder: str | None = Field(
        None, description="Folder of the backups that `serve` makes; default: none are made."
    )
    serve_backup_hours: float = Field(24.0, gt=0, le=8760, description="Hours between two backups.")
    serve_backup_keep: int = Field(
        7, ge=1, le=10_000, description="Backups kept; older ones are removed."
    )
    serve_url: str | None = Field(
        None, description="Address by which clients reach `serve`, where it is not its own."
    )
    serve_origins: tuple[str, ...] = Field(
        (), description="Further origins whose pages may call `serve`."
    )
    serve_session_hours: float = Field(
        12.0, gt=0, le=720, description="Hours after which one has to sign in again."
    )
    serve_rate: float = Field(
        20.0, gt=0, le=100_000, description="Requests a second that an account may keep up."
    )
    serve_burst: int = Field(
        100, ge=1, le=1_000_000, description="Requests that an account may make at once."
    )
    serve_plans: dict[str, int] = Field(
        {"free": 2_000, "median": 8_500, "pro": 15_000, "enterprise": 25_000},
        description="Requests a calendar month that each plan allows.",
    )
    serve_plan: str | None = Field(
        None, description="Plan of accounts without one; default: any number of requests."
    )
    serve_audit_days: int = Field(
        365, ge=1, le=36_500, description="Days that the audit log goes back."
    )
    oauth_registration: bool = Field(
        default=False, description="OAuth clients may register themselves."
    )
    oauth_client_hosts: tuple[str, ...] = Field(
        (), description="Hosts whose client documents OAuth fetches; `*`: any public host."
    )
    oauth_access_minutes: float = Field(
        60.0, gt=0, le=1440, description="Minutes that an OAuth access token lives."
    )
    oauth_refresh_days: float = Field(
        30.0, gt=0, le=366, description="Days after which an OAuth client has to ask again."
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments over the TOML file over the environment."""
        del dotenv_settings, file_secret_settings
        return init_settings, TomlConfigSettingsSource(settings_cls, config_file()), env_settings


def config_file() -> Path:
    """The TOML file that settings are read from; the default one need not exist.

    Raises:
        InvalidInput: ``HYPERMNESIA_CONFIG`` names a file that does not exist.
    """
    named = os.environ.get("HYPERMNESIA_CONFIG")
    if named:
        path = expanded(named)
        if not path.is_file():
            raise InvalidInput(
                f"HYPERMNESIA_CONFIG names {path}, which is no file; write or unset it"
            )
        return path
    return user_folder("config") / "config.toml"


def load(base: Settings | None = None, **overrides: Any) -> Settings:
    """The settings in force; ``None`` values do not override.

    Args:
        base: start from these instead of environment and file.
        **overrides: single settings.

    Raises:
        InvalidInput: a value is out of bounds or unknown; the message names it, never shows it.
    """
    given = {} if base is None else base.model_dump()
    given |= {name: value for name, value in overrides.items() if value is not None}
    try:
        return Settings(**given)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, item['loc'])) or 'settings'}: {item['msg']}"
            for item in error.errors(include_input=False, include_url=False)
        )
        raise InvalidInput(f"bad settings: {problems}") from None
    except SettingsError as error:  # a list in the environment is not JSON
        raise InvalidInput(f"bad settings: {error}; a list is written as JSON") from None
    except ValueError as error:  # the TOML file does not parse
        raise InvalidInput(f"{config_file()} is not valid TOML: {error}") from None


def build(settings: Settings) -> Engine:
    """Open the store and compose the parts.

    Raises:
        StoreError: the store cannot be opened.
        InvalidInput: the settings do not fit together.
    """
    embedder = embedder_of(settings)
    return Engine(
        store=_store(settings, embedder),
        embedder=embedder,
        judge=Chain(_judges(settings)),
        gate=settings.gate,
        supersede_threshold=settings.supersede_threshold,
        preset=settings.preset,
        channel_depth=settings.channel_depth,
        fusion=settings.fusion or ("rrf" if settings.preset == "dgui" else "absolute"),
        lexical_weight=settings.lexical_weight,
        channels=settings.channels,
        rank_salience=settings.rank_salience,
        redact=settings.redact,
        secrets=settings.secrets,
        context_levels=settings.context_levels
        or (RETURNED if settings.preset == "hypermem" else CONTEXT_LEVELS),
        graph=_graph(settings),
        reranker=_reranker(settings),
        language_model=language_model(settings),
        answers=_answers(settings),
        llm_concurrency=settings.llm_concurrency,
        corpus=_corpus(settings),
    )


def store_path(settings: Settings) -> Path:
    """The store file in force; the default one's folder is created.

    Raises:
        StoreError: the store is no file, or the folder cannot be created.
    """
    if settings.store is not None:
        if is_postgres(settings.store):
            raise StoreError(
                "a PostgreSQL store is no file that could be copied; use pg_dump, or"
                " `hypermnesia export`"
            )
        return expanded(settings.store)
    folder = user_folder("data")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"{folder} cannot be created ({error.strerror}); name a --store"
        ) from error
    return folder / "memory.db"


def is_postgres(store: str) -> bool:
    """Whether a store is named by a PostgreSQL URL."""
    return store.startswith(("postgresql://", "postgres://"))


def _store(settings: Settings, embedder: Embedder) -> Store:
    if settings.store is not None and is_postgres(settings.store):
        return _postgres(settings, settings.store, embedder)
    if settings.store is not None and "://" in settings.store:
        raise InvalidInput(
            f"{settings.store.split('://')[0]}:// stores are not supported; name a file, or"
            " postgresql://user@host/database"
        )
    from hypermnesia.store.sqlite.store import SqliteStore  # noqa: PLC0415 - one backend loads

    return SqliteStore(
        store_path(settings),
        embedder.identity,
        embedder.dimension,
        wait=settings.busy_timeout,
    )


def _postgres(settings: Settings, url: str, embedder: Embedder) -> Store:
    try:
        from hypermnesia.store.postgres.store import PostgresStore  # noqa: PLC0415 - as above
    except ImportError as error:
        raise StoreError(
            "a PostgreSQL store needs packages that are not installed; run"
            " `pip install 'hypermnesia[postgres]'`"
        ) from error
    return PostgresStore(
        url,
        embedder.identity,
        embedder.dimension,
        wait=settings.busy_timeout,
        size=settings.postgres_pool,
        replica=settings.postgres_replica,
    )


def embedder_of(settings: Settings) -> Embedder:
    """The configured text encoder; a local one loads its model when it is first used.

    Raises:
        InvalidInput: an endpoint lacks its model's name or dimension.
    """
    if settings.encoder.startswith(("http://", "https://")):
        from hypermnesia.models.embeddings import EmbeddingsEndpoint  # noqa: PLC0415 - pulls httpx2

        if settings.encoder_model is None or settings.encoder_dimension is None:
            raise InvalidInput("an embeddings endpoint needs encoder_model and encoder_dimension")
        return EmbeddingsEndpoint(
            settings.encoder,
            settings.encoder_model,
            dimension=settings.encoder_dimension,
            api_key=_key("HYPERMNESIA_ENCODER_KEY"),
            query_prefix=settings.query_prefix,
            passage_prefix=settings.passage_prefix,
        )
    return OnnxEncoder(
        None if settings.encoder == "bundled" else expanded(settings.encoder),
        window=settings.encoder_window,
        query_prefix=settings.query_prefix,
        passage_prefix=settings.passage_prefix,
        threads=settings.threads,
    )


def _judges(settings: Settings) -> list[Judge]:
    """The fallback chain: the configured judge, then the local one, then none."""
    if settings.judge == "off":
        return []
    from hypermnesia.judge.local import LocalJudge  # noqa: PLC0415 - pulls the trained heads

    local = LocalJudge(floor=settings.supersede_threshold, heads=local_heads(settings))
    return [*_remote_judges(settings), local]


def heads_file(settings: Settings) -> Path:
    """Where the local judge's own heads lie, or would."""
    if settings.judge_heads not in {None, SHIPPED_HEADS}:
        return expanded(str(settings.judge_heads))
    return user_folder("data") / "judge-heads.npz"


def local_heads(settings: Settings) -> Heads:
    """The heads that the local judge answers with.

    Raises:
        ModelError: its own are damaged.
    """
    from hypermnesia.judge.local_heads import SHIPPED  # noqa: PLC0415 - as above
    from hypermnesia.judge.own_heads import read  # noqa: PLC0415

    path = heads_file(settings)
    if settings.judge_heads == SHIPPED_HEADS or not path.exists():
        return SHIPPED
    return read(path) or SHIPPED


def _remote_judges(settings: Settings) -> list[Judge]:
    if settings.judge not in {"system_one", "chat"}:
        return []
    if settings.judge_url is None or settings.judge_model is None:
        raise InvalidInput(f"the {settings.judge} judge needs judge_url and judge_model")
    from hypermnesia.judge.chat import ChatJudge  # noqa: PLC0415 - remote judges alone need these
    from hypermnesia.judge.system_one import SystemOneJudge  # noqa: PLC0415
    from hypermnesia.models.chat import ChatClient  # noqa: PLC0415

    kind = SystemOneJudge if settings.judge == "system_one" else ChatClient
    client = kind(
        settings.judge_url,
        settings.judge_model,
        api_key=_key("HYPERMNESIA_JUDGE_KEY"),
        timeout=settings.judge_timeout,
        attempts=settings.judge_attempts,
    )
    return [ChatJudge(client) if isinstance(client, ChatClient) else client]


def _graph(settings: Settings) -> GraphPolicy:
    return GraphPolicy(
        levels=settings.graph_levels,
        weights=settings.graph_weights,
        lam=settings.graph_lambda,
        topics=settings.graph_topics,
        episodes=settings.graph_episodes,
        facts=settings.graph_facts,
        candidates=settings.graph_candidates,
        rerank=settings.graph_rerank,
        prior=settings.graph_prior,
        flat=settings.graph_flat,
        turns=settings.graph_turns,
        talk=settings.graph_talk,
    )


def _reranker(settings: Settings) -> Reranker | None:
    if settings.graph_rerank != "model":
        return None
    if settings.rerank_model is None:
        raise InvalidInput("reranking by a model needs rerank_model")
    if settings.rerank_url is None:
        folder = expanded(settings.rerank_model)
        return OnnxCrossEncoder(folder, threads=settings.threads)
    key = _key("HYPERMNESIA_RERANK_KEY")
    return RerankEndpoint(settings.rerank_url, settings.rerank_model, api_key=key)


def language_model(settings: Settings) -> LanguageModel | None:
    """The language model that constructs and answers, or ``None`` if none is configured.

    Raises:
        InvalidInput: its address or its name is missing.
        ModelError: its address or key cannot be used.
    """
    if settings.llm_url is None:
        return None
    if settings.llm_model is None:
        raise InvalidInput("a language model at llm_url needs its name in llm_model")
    return ChatClient(
        settings.llm_url,
        settings.llm_model,
        api_key=_key("HYPERMNESIA_LLM_KEY"),
        timeout=settings.llm_timeout,
        attempts=settings.llm_attempts,
        concurrency=settings.llm_concurrency,
    )


def _answers(settings: Settings) -> AnswerCache | None:
    if settings.llm_cache == "off":
        return None
    if settings.llm_cache is not None:
        return AnswerCache(expanded(settings.llm_cache))
    return AnswerCache(user_folder("cache") / "answers.db")


def _corpus(settings: Settings) -> CorpusPolicy:
    named, hours = settings.corpus_folder, settings.corpus_interval
    return CorpusPolicy(
        folder=user_folder("data") / "corpus" if named is None else expanded(named),
        format=settings.corpus_format,
        repo=settings.corpus_repo,
        token=_key("HYPERMNESIA_HUB_TOKEN"),
        interval=timedelta(hours=hours) if hours else None,
    )


def _key(variable: str) -> SecretStr | None:
    value = os.environ.get(variable)
    return SecretStr(value) if value else None
