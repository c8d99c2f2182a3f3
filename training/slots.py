"""The vocabulary that the generators draw from: people, things, places, values."""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


PEOPLE = _words(
    "Alice Bruno Chiara Dmitri Elena Farid Greta Hugo Ines Jamal Keiko Liam Maya Nils Olivia"
    " Pedro Quinn Rahul Sofia Tomas Uma Viktor Wanda Xavier Yara Zoe Amir Bella Carlos Dana Erik"
    " Fatima"
)
RELATIVES = (
    "my brother",
    "my sister",
    "my wife",
    "my husband",
    "my mother",
    "my father",
    "my son",
    "my daughter",
    "my flatmate",
    "my boss",
    "my neighbour",
    "my best friend",
    "my cousin",
    "my manager",
    "the user",
)
CITIES = _words(
    "Berlin Madrid Oslo Porto Chicago Nairobi Osaka Lyon Krakow Dublin Montreal Jakarta Lima"
    " Athens Vienna Seattle Bristol Tallinn Zurich Austin"
)
COUNTRIES = _words("Spain Japan Canada Kenya Norway Peru India Italy Greece Mexico Vietnam Iceland")
JOBS = (
    "nurse",
    "teacher",
    "software engineer",
    "chef",
    "architect",
    "lawyer",
    "electrician",
    "data analyst",
    "journalist",
    "pilot",
    "dentist",
    "graphic designer",
    "carpenter",
    "product manager",
    "biologist",
)
COMPANIES = _words("Heron Northwind Halcyon Lumen Orbit Finch Acorn Voltaic Bluebay Kestrel")
FOODS = (
    "sushi",
    "pizza",
    "Thai curry",
    "olives",
    "mushrooms",
    "blue cheese",
    "dark chocolate",
    "ramen",
    "cilantro",
    "lasagne",
    "tacos",
    "oysters",
    "porridge",
    "hummus",
    "dumplings",
    "liquorice",
)
ALLERGENS = (
    "peanuts",
    "shellfish",
    "penicillin",
    "pollen",
    "cats",
    "latex",
    "eggs",
    "soy",
    "wasp stings",
    "kiwi",
)
DRINKS = (
    "black coffee",
    "green tea",
    "herbal tea",
    "red wine",
    "craft beer",
    "soda",
    "orange juice",
    "espresso",
    "oat milk lattes",
    "sparkling water",
    "matcha",
    "iced coffee",
)
HOBBIES = (
    "hiking",
    "painting",
    "chess",
    "running",
    "pottery",
    "bouldering",
    "photography",
    "gardening",
    "swimming",
    "knitting",
    "cycling",
    "birdwatching",
    "yoga",
    "baking",
    "fishing",
    "dancing",
)
SPORTS = (
    "yoga",
    "trail running",
    "boxing",
    "tennis",
    "competitive swimming",
    "golf",
    "rock climbing",
    "football",
    "cycling",
    "martial arts",
    "rowing",
    "basketball",
)
MUSIC = (
    "classical music",
    "heavy metal",
    "jazz",
    "techno",
    "folk songs",
    "film scores",
    "hip hop",
    "opera",
    "country music",
    "lo-fi beats",
    "indie rock",
    "choral music",
)
FILMS = (
    "horror films",
    "romantic comedies",
    "documentaries",
    "science fiction films",
    "silent films",
    "musicals",
    "war dramas",
    "animated films",
    "detective series",
    "superhero films",
)
BOOKS = (
    "fantasy novels",
    "biographies",
    "crime novels",
    "poetry collections",
    "self-help books",
    "history books",
    "graphic novels",
    "science books",
    "short stories",
    "travel writing",
)
PETS = (
    "dogs",
    "cats",
    "snakes",
    "parrots",
    "rabbits",
    "hamsters",
    "lizards",
    "goldfish",
    "spiders",
    "horses",
)
CLOTHES = (
    "linen shirts",
    "high heels",
    "wool sweaters",
    "tight jeans",
    "sneakers",
    "formal suits",
    "hooded jackets",
    "silk scarves",
    "sportswear",
    "vintage dresses",
)
TRAVEL = (
    "beach holidays",
    "guided city tours",
    "backpacking",
    "cruises",
    "road trips",
    "camping in the wild",
    "luxury resorts",
    "museum weekends",
    "ski trips",
    "slow train journeys",
)
GAMES = (
    "strategy games",
    "violent video games",
    "puzzle games",
    "racing games",
    "board games",
    "card games",
    "role-playing games",
    "virtual reality games",
    "sports simulations",
    "word games",
)
COLOURS = _words("red blue green black white yellow grey purple orange silver")
VEHICLES = _words("Volvo Tesla Toyota Fiat Mazda Peugeot Honda Subaru")
PET_NAMES = _words("Biscuit Luna Rocky Nala Simba Olive Waffles Pixel")
LANGUAGES = _words("Spanish German Japanese Arabic French Portuguese Swahili Korean")
DATABASES = _words("Postgres MySQL SQLite MongoDB DuckDB Cassandra CockroachDB MariaDB")
BROKERS = ("Kafka", "NATS", "RabbitMQ", "Redis Streams", "Pulsar", "SQS")
CLOUDS = ("AWS", "Azure", "Google Cloud", "Hetzner", "OVH", "DigitalOcean")
CODE = _words("Python Rust Go Java TypeScript Kotlin Elixir Ruby Scala")
EDITORS = ("VS Code", "Neovim", "Emacs", "PyCharm", "Sublime", "Zed")
TOOLS = (
    "Jenkins",
    "GitHub Actions",
    "GitLab CI",
    "CircleCI",
    "Terraform",
    "Pulumi",
    "Ansible",
    "Jira",
    "Linear",
    "Notion",
    "Slack",
    "Teams",
    "Datadog",
    "Grafana",
    "Sentry",
    "ruff",
    "flake8",
    "poetry",
    "uv",
)
SERVICES = (
    "billing",
    "search",
    "auth",
    "checkout",
    "notification",
    "reporting",
    "ingest",
    "profile",
    "payment",
    "recommendation",
    "inventory",
    "scheduling",
    "export",
    "mail",
)
PROJECTS = _words("Falcon Atlas Juniper Comet Sparrow Delta Aurora Mosaic Pine Harbor")
TASKS = (
    "add rate limiting",
    "write the runbook",
    "migrate the cron jobs",
    "update the onboarding guide",
    "rotate the API keys",
    "upgrade Django",
    "clean up the feature flags",
    "translate the emails",
    "set up the staging cluster",
    "backfill the metrics",
    "remove the dead code",
    "test the backups",
)
BUGS = (
    "the memory leak",
    "the login loop",
    "the flaky upload test",
    "the duplicate invoices",
    "the slow query",
    "the time zone bug",
    "the broken pagination",
    "the deadlock",
    "the missing emails",
    "the 502 errors",
)
FIXES = (
    "closing the client after each request",
    "adding an index on created_at",
    "pinning the dependency",
    "restarting the worker pool",
    "clearing the cache on deploy",
    "using a per-key lock",
    "raising the proxy timeout",
    "validating the input first",
    "retrying with backoff",
    "switching to UTC everywhere",
    "disabling IPv6",
    "reinstalling the driver",
)
REASONS = (
    "it is easier to operate",
    "the licence is better",
    "it costs half as much",
    "the team knows it",
    "latency was too high",
    "it has proper transactions",
    "the old one was unmaintained",
    "support was terrible",
    "we need audit logs",
    "it works offline",
)
WEEKDAYS = _words("Monday Tuesday Wednesday Thursday Friday")
MONTHS = _words("January March April June July September October November")
EVENTS = (
    "the standup",
    "the team meeting",
    "the dentist appointment",
    "the board review",
    "the yoga class",
    "the parents' evening",
    "the sprint demo",
    "the piano lesson",
    "the interview",
    "the concert",
)
TREATS = (
    "calms me down after work",
    "reminds me of my childhood",
    "helps me focus",
    "brings my family together",
    "keeps me fit",
    "sparks my imagination",
    "gives me energy",
    "is good for my health",
    "teaches me something new",
    "lets me switch off",
    "fits my lifestyle",
    "connects me with other people",
)
COMPLAINTS = (
    "feels like a waste of time",
    "gives me a headache",
    "is far too expensive",
    "makes me anxious",
    "does not fit my values",
    "tires me out",
    "is bad for my health",
    "bores me quickly",
    "is too loud for me",
    "takes too much effort",
    "leaves me uncomfortable",
    "lacks depth",
)
