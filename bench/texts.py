"""Memories as agents write them: made up, seeded, as many as wanted, hardly two alike."""

from __future__ import annotations

import random
from collections.abc import Iterator

_PEOPLE = (
    "Ana", "Ben", "Chloe", "Dmitri", "Elif", "Farah", "Goran", "Hana", "Imre", "Jonas", "Kofi",
    "Lena", "Mateo", "Nour", "Olga",
)  # fmt: skip
_SERVICES = (
    "billing", "checkout", "search", "catalogue", "identity", "notifications", "reporting",
    "the mobile app", "the data pipeline", "payments", "the admin console", "shipping",
)  # fmt: skip
_TOOLS = (
    "PostgreSQL", "Redis", "NATS", "Kafka", "Terraform", "Grafana", "OpenSearch", "Kubernetes",
    "SQLite", "Celery", "FastAPI", "Vite", "Playwright", "RabbitMQ", "ClickHouse", "Vault",
)  # fmt: skip
_REASONS = (
    "the on-call load was too high", "latency at the 99th percentile doubled last spring",
    "nobody on the team could maintain the old one", "the licence changed",
    "the audit asked for a full trail", "it keeps deployments under ten minutes",
    "customers in Japan saw time-outs", "the vendor stopped supporting it",
)  # fmt: skip
_PLACES = ("Lisbon", "Osaka", "Utrecht", "Graz", "Nairobi", "Quito", "Tampere", "Leeds", "Bilbao")
_THINGS = (
    "window seats", "oat milk in coffee", "short written updates over meetings", "dark mode",
    "trains instead of flights", "tests named as sentences", "vegetarian restaurants",
    "morning stand-ups before nine", "tabs over spaces", "British spelling in documents",
)  # fmt: skip
_SYMPTOMS = (
    "requests failed with 502", "the queue grew to {n} messages", "memory rose by {n} MB an hour",
    "the nightly job stopped at row {n}", "logins took {n} ms", "the index was rebuilt {n} times",
)  # fmt: skip
_CAUSES = (
    "a connection pool was exhausted", "two workers took the same lock", "the cache key lacked the"
    " tenant", "a retry had no bound", "a time zone was applied twice", "an index was missing",
)  # fmt: skip


def memories(number: int, seed: int = 7) -> Iterator[str]:
    """Distinct texts of one to three sentences, about 32 words on average."""
    rng = random.Random(seed)
    seen = set[str]()
    while len(seen) < number:
        text = " ".join(rng.choice(_KINDS)(rng) for _ in range(rng.choice((1, 1, 2, 2, 3))))
        if text not in seen:
            seen.add(text)
            yield text


def queries(number: int, seed: int = 8) -> list[str]:
    """Questions of the kind such memories answer."""
    rng = random.Random(seed)
    return [_question(rng) for _ in range(number)]


def _decision(rng: random.Random) -> str:
    old, new = rng.sample(_TOOLS, 2)
    return (
        f"We decided to move {rng.choice(_SERVICES)} from {old} to {new} in release"
        f" {rng.randint(1, 9)}.{rng.randint(0, 40)} because {rng.choice(_REASONS)}."
    )


def _incident(rng: random.Random) -> str:
    symptom = rng.choice(_SYMPTOMS).format(n=rng.randint(20, 90_000))
    return (
        f"Incident INC-{rng.randint(1000, 99999)}: {symptom} in {rng.choice(_SERVICES)};"
        f" {rng.choice(_CAUSES)}. {rng.choice(_PEOPLE)} fixed it in"
        f" src/{rng.choice(_SERVICES).split()[-1]}/handler_{rng.randint(1, 400)}.py."
    )


def _person(rng: random.Random) -> str:
    return (
        f"{rng.choice(_PEOPLE)} prefers {rng.choice(_THINGS)} and works from"
        f" {rng.choice(_PLACES)} {rng.choice(('on Fridays', 'in winter', 'every other week'))}"
        f" since {rng.randint(2012, 2026)}."
    )


def _owner(rng: random.Random) -> str:
    return (
        f"{rng.choice(_PEOPLE)} owns the {rng.choice(_TOOLS)} cluster of {rng.choice(_SERVICES)};"
        f" it listens on port {rng.randint(1024, 60000)} and keeps {rng.randint(3, 90)} days of"
        " data."
    )


def _plan(rng: random.Random) -> str:
    return (
        f"The deadline of milestone M{rng.randint(1, 300)} for {rng.choice(_SERVICES)} is"
        f" {rng.randint(1, 28)} {rng.choice(('March', 'May', 'June', 'October'))}"
        f" {rng.randint(2024, 2027)}; {rng.choice(_PEOPLE)} and {rng.choice(_PEOPLE)} review it."
    )


_KINDS = (_decision, _incident, _person, _owner, _plan)


def _question(rng: random.Random) -> str:
    service, tool, person = rng.choice(_SERVICES), rng.choice(_TOOLS), rng.choice(_PEOPLE)
    return rng.choice(
        (
            f"why did {service} leave {tool}?",
            f"what does {person} prefer?",
            f"who owns the {tool} cluster of {service}?",
            f"INC-{rng.randint(1000, 99999)}",
            f"when is the deadline of M{rng.randint(1, 300)}?",
            f"{service} failed with a time-out, what was the cause",
        )
    )
