"""Every rule with a pattern of its own; the rules of personal data are asked for separately."""

from __future__ import annotations

from hypermnesia.privacy.rule import Rule
from hypermnesia.privacy.table_clouds import CLOUDS
from hypermnesia.privacy.table_generic import GENERIC
from hypermnesia.privacy.table_models import MODELS
from hypermnesia.privacy.table_services import SERVICES
from hypermnesia.privacy.table_settings import SETTINGS

TOKENS: tuple[Rule, ...] = (*MODELS, *CLOUDS, *SERVICES, *GENERIC, *SETTINGS)
"""Secrets that are known by their own form. Where two rules overlap, the earlier names it."""
