"""What the service asks of its callers: the part of the settings that is about accounts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from hypermnesia.config import Settings
from hypermnesia.serve.accounts.quota import Plans
from hypermnesia.serve.accounts.site import Site


@dataclass(frozen=True, slots=True)
class Policy:
    """Rules and bounds.

    Attributes:
        rate: requests a second that an account may keep up.
        burst: requests that it may make at once.
        session: how long one stays signed in.
        access: how long an OAuth access token lives.
        refresh: how long an OAuth authorization lives, however often it is refreshed.
        registration: whether OAuth clients may register themselves.
        client_hosts: hosts whose client documents are fetched; ``*`` = any public one.
        audit_kept: how far the audit log goes back.
    """

    site: Site
    plans: Plans
    rate: float = 20.0
    burst: int = 100
    session: timedelta = timedelta(hours=12)
    access: timedelta = timedelta(hours=1)
    refresh: timedelta = timedelta(days=30)
    registration: bool = False
    client_hosts: tuple[str, ...] = ()
    audit_kept: timedelta = timedelta(days=365)

    @classmethod
    def of(cls, settings: Settings) -> Policy:
        """The policy that settings describe.

        Raises:
            InvalidInput: an address among them is none.
        """
        return cls(
            Site.of(settings),
            Plans.of(settings),
            settings.serve_rate,
            settings.serve_burst,
            timedelta(hours=settings.serve_session_hours),
            timedelta(minutes=settings.oauth_access_minutes),
            timedelta(days=settings.oauth_refresh_days),
            settings.oauth_registration,
            tuple(host.lower() for host in settings.oauth_client_hosts),
            timedelta(days=settings.serve_audit_days),
        )
