"""Words of one kind, of which usually one holds at a time: states of a thing, and things of a sort.

English again, and far from complete: a hit is a strong cue, a miss means nothing.
"""

# ruff: noqa: E501 - one group a line

from __future__ import annotations

from collections.abc import Mapping, Sequence


def _groups(text: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(line.split()) for line in text.strip().splitlines())


def _sides(text: str) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    lines = text.replace("\n/", " /").strip().splitlines()
    pairs = (line.split(" / ") for line in lines)
    return tuple((frozenset(one.split()), frozenset(other.split())) for one, other in pairs)


STATES = _sides("""
up online available running works working operational passing passed green healthy back repaired restored
/ down offline unavailable stopped broken failing failed red crashed unreachable dead out
pending waiting draft review unreviewed undecided / approved merged accepted granted final done
approved merged accepted granted confirmed / rejected declined denied refused withdrawn
single unmarried / married engaged husband wife
engaged dating / married wed
married engaged dating together / divorced separated widowed split
unemployed jobless workless / employed hired job started
hold paused blocked frozen stuck ice / resumed active unblocked continues moving
track schedule ahead going / late delayed cancelled canceled scrapped shelved postponed off
sale rent / sold rented bought
renting / bought
on enabled activated active / off disabled deactivated inactive
public open external / private internal secret closed
open opens opened reopened / closed shut closes finished
pregnant expecting / birth born
construction / finished traffic
hospital sick ill leave holiday / discharged recovered released home healthy well back
vacant unfilled vacancy / filled taken
hiring recruiting / freeze
allowed permitted / forbidden banned prohibited
required mandatory compulsory / optional voluntary
free costless / paid charges costs premium
unpaid outstanding owed / paid settled
vegetarian vegan / meat omnivore carnivore
awake / asleep sleeping
empty / full
dirty messy / clean tidy
locked / unlocked
valid active / expired revoked invalid
unsigned / signed
stable final / unstable experimental beta deprecated
maintained / deprecated abandoned unmaintained
alive / dead died deceased
lent borrowed / returned
daily / weekly monthly hourly yearly quarterly
weekly / monthly hourly yearly quarterly
morning / evening afternoon night
part-time / full-time
remote remotely / onsite office
short concise brief / long detailed verbose lengthy
dark / light
window / aisle
tabs / spaces
early / late
mild / hot spicy
rare / well-done well medium
left / right
black / white
alone solo / team together group
progress ongoing started running / done finished completed complete ended
intern student trainee apprentice temporary / permanent graduated employee
kindergarten / school
overrated terrible / masterpiece brilliant
camelcase / snake_case
always / never
everyone everybody all / nobody none
british / american
text texts email emails / phone calls call
""")
"""States that exclude each other: a line has two sides, each with words for the same state."""

SORTS = _groups("""
postgres postgresql mysql sqlite mongodb duckdb cassandra cockroachdb mariadb oracle dynamodb redis firestore
kafka nats rabbitmq pulsar sqs redpanda kinesis activemq
aws azure gcp google hetzner ovh digitalocean heroku vercel netlify linode on-prem
python rust go java typescript javascript kotlin elixir ruby scala c++ swift php perl haskell clojure
code vscode neovim vim emacs pycharm sublime zed intellij cursor helix atom
jenkins github gitlab circleci travis buildkite teamcity drone
terraform pulumi ansible chef puppet cloudformation
jira linear asana trello notion monday clickup youtrack
slack teams discord mattermost zulip whatsapp signal telegram
datadog grafana splunk loki newrelic sentry kibana prometheus
react angular vue svelte jquery ember solid
django flask fastapi rails spring express laravel
poetry uv pip pipenv conda npm yarn pnpm bun
ruff flake8 pylint black eslint prettier biome
webpack vite rollup parcel esbuild turbopack
elasticsearch opensearch solr meilisearch algolia typesense
auth0 keycloak okta cognito clerk
rest grpc graphql soap
docker podman containerd
kubernetes nomad swarm ecs
sendgrid postmark mailgun ses mailchimp
windows macos linux ubuntu debian fedora
firefox chrome safari edge brave
iphone pixel samsung android galaxy
evernote obsidian notion onenote bear
spotify tidal deezer
netflix hulu disney
paypal stripe adyen braintree klarna
red blue green yellow purple orange black white grey gray pink brown teal silver
monday tuesday wednesday thursday friday saturday sunday
january february march april may june july august september october november december
spring summer autumn winter
teacher nurse engineer developer doctor lawyer chef baker designer manager student pilot driver midwife
english german french spanish italian portuguese japanese dutch polish british american
""")
"""Things of one sort, of which a thing mostly uses one."""


def _positions(groups: Sequence[frozenset[str]]) -> dict[str, frozenset[int]]:
    """Positions of the groups that hold a word."""
    return {
        word: frozenset(i for i, group in enumerate(groups) if word in group)
        for word in frozenset[str]().union(*groups)
    }


# The two sides of pair i stand at 2i and 2i + 1, so that i ^ 1 is the other side.
_SIDES = _positions([side for pair in STATES for side in pair])
_SORTS = _positions(SORTS)


def clash(only_a: frozenset[str], only_b: frozenset[str]) -> bool:
    """Whether each text holds a thing of one of the :data:`SORTS` that the other does not.

    Args:
        only_a: words that only the one text has.
        only_b: words that only the other has.
    """
    return not _held(only_a, _SORTS).isdisjoint(_held(only_b, _SORTS))


def opposed(only_a: frozenset[str], only_b: frozenset[str]) -> bool:
    """Whether the texts hold words from the two sides of one pair of :data:`STATES`."""
    others = _held(only_b, _SIDES)
    return any(side ^ 1 in others for side in _held(only_a, _SIDES))


def agreed(only_a: frozenset[str], only_b: frozenset[str]) -> bool:
    """Whether the texts hold different words for one state."""
    return not _held(only_a, _SIDES).isdisjoint(_held(only_b, _SIDES))


def _held(words: frozenset[str], positions: Mapping[str, frozenset[int]]) -> set[int]:
    return {i for word in words if word in positions for i in positions[word]}
