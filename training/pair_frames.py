"""The statements that the pair generator fills: ``{S}`` subject, ``{V}`` value, ``{O}`` old value."""

# ruff: noqa: E501 - a template reads best on one line

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Attribute:
    """Something a subject has one value of at a time.

    Attributes:
        subjects: kind of subject, or a slot.
        values: slot of the values.
        says: ways to state it.
        changes: ways to announce a new value.
    """

    subjects: str
    values: str
    says: tuple[str, ...]
    changes: tuple[str, ...]


ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute("person", "cities", ("{S} lives in {V}.", "{S} is based in {V}.", "{S}'s home is in {V}."),
              ("{S} moved to {V}.", "{S} moved from {O} to {V}.", "{S} now lives in {V}.", "{S} left {O} and settled in {V}.")),
    Attribute("person", "jobs", ("{S} works as a {V}.", "{S} is a {V}.", "{S}'s job: {V}"),
              ("{S} is now a {V}.", "{S} quit being a {O} and works as a {V}.", "{S} changed careers and became a {V}.")),
    Attribute("person", "companies", ("{S} works at {V}.", "{S} is employed by {V}.", "{S}'s employer is {V}."),
              ("{S} left {O} for {V}.", "{S} now works at {V}.", "{S} got a new job at {V}.")),
    Attribute("person", "n2", ("{S} is {V} years old.", "{S}'s age is {V}.", "{S} is {V}."),
              ("{S} turned {V}.", "{S} is {V} years old now.", "Correction: {S} is {V}, not {O}.")),
    Attribute("person", "people", ("{S}'s manager is {V}.", "{S} reports to {V}.", "{V} is {S}'s manager."),
              ("{S} now reports to {V}.", "{S}'s new manager is {V}.", "{V} took over from {O} as {S}'s manager.")),
    Attribute("person", "colours", ("{S}'s favourite colour is {V}.", "favourite colour of {S}: {V}"),
              ("{S}'s favourite colour is {V} these days.", "{S}'s favourite colour changed from {O} to {V}.")),
    Attribute("person", "weekdays", ("{S}'s day off is {V}.", "{S} is off on {V}."),
              ("{S}'s day off moved to {V}.", "{S}'s day off is {V} now, no longer {O}.")),
    Attribute("person", "editors", ("{S} prefers {V}.", "{S}'s editor of choice is {V}.", "{S} codes in {V}."),
              ("{S} switched from {O} to {V}.", "{S} now uses {V} instead of {O}.", "{S} has moved to {V}.")),
    Attribute("speaker", "people", ("{S} name is {V}.", "{S} name: {V}", "{S} first name is {V}."),
              ("{S} name is {V} now.", "Actually, {S} name is {V}.", "{S} name was changed from {O} to {V}.")),
    Attribute("speaker", "foods", ("{S} favourite food is {V}.", "{S} favourite dish: {V}"),
              ("{S} new favourite food is {V}.", "{S} favourite food is now {V}, not {O}.")),
    Attribute("speaker", "music", ("{S} favourite music is {V}.", "{S} favourite genre is {V}."),
              ("{S} favourite music these days is {V}.", "{S} favourite music went from {O} to {V}.")),
    Attribute("speaker", "port", ("{S} door code is {V}.", "{S} door code: {V}"),
              ("{S} door code changed to {V}.", "{S} door code is {V} now.")),
    Attribute("speaker", "port", ("{S} phone extension is {V}.", "{S} extension: {V}"),
              ("{S} new phone extension is {V}.", "{S} extension is {V}, no longer {O}.")),
    Attribute("speaker", "vehicles", ("{S} car is a {V}.", "{S} current car is a {V}."),
              ("{S} new car is a {V}, the {O} is sold.", "{S} {O} was replaced by a {V}.")),
    Attribute("person", "people", ("{S} goes by {V}.", "{S}'s nickname is {V}.", "Call {S} {V}."),
              ("{S} goes by {V} these days.", "Please call {S} {V} from now on.", "{S} changed the nickname from {O} to {V}.")),
    Attribute("projects", "companies", ("Project {S} is called {V}.", "{S}'s public name is {V}."),
              ("{S} was renamed to {V}.", "We renamed {S}, it is called {V} now.")),
    Attribute("services", "n2", ("The {S} team has {V} members.", "There are {V} people in the {S} team."),
              ("The {S} team grew to {V} members.", "The {S} team has shrunk to {V} people.")),
    Attribute("services", "n2", ("{S} has {V} nodes.", "We run {V} {S} nodes."),
              ("We scaled {S} to {V} nodes.", "{S} runs on {V} nodes now.")),
    Attribute("person", "drinks", ("{S} usually drinks {V} in the morning.", "{S} starts the day with {V}."),
              ("{S} now drinks {V} in the morning.", "{S} replaced {O} by {V}.")),
    Attribute("services", "port", ("The {S} service listens on port {V}.", "{S} port is {V}", "{S} port: {V}", "The port of {S} is {V}."),
              ("{S} moved to port {V}.", "{S} now listens on port {V}.", "The {S} port was changed from {O} to {V}.")),
    Attribute("services", "databases", ("The {S} service uses {V}.", "{S} stores its data in {V}.", "{S} database: {V}"),
              ("We moved {S} from {O} to {V}.", "{S} now uses {V} instead of {O}.", "{S} was migrated to {V}.", "We replaced {O} with {V} in {S}.")),
    Attribute("services", "brokers", ("The {S} service publishes to {V}.", "{S} uses {V} for messaging.", "We chose {V} for {S} events."),
              ("{S} switched to {V} for messaging.", "We dropped {O}, {S} publishes to {V}.", "{S} moved from {O} to {V}.")),
    Attribute("services", "clouds", ("{S} runs on {V}.", "The {S} service is hosted on {V}.", "{S} hosting: {V}"),
              ("{S} was moved to {V}.", "{S} now runs on {V}.", "We left {O}; {S} is hosted on {V}.")),
    Attribute("services", "code", ("The {S} service is written in {V}.", "{S} is a {V} application."),
              ("{S} was rewritten in {V}.", "{S} is written in {V} now, {O} is gone.")),
    Attribute("services", "people", ("{V} owns the {S} service.", "The owner of {S} is {V}.", "{S} owner: {V}", "{V} maintains {S}."),
              ("{V} took over {S} from {O}.", "{O} handed {S} over to {V}.", "{V} is the new owner of {S}.")),
    Attribute("services", "n2", ("The {S} timeout is {V} seconds.", "{S} timeout: {V}s", "{S} has a timeout of {V} seconds."),
              ("The {S} timeout was raised to {V} seconds.", "The {S} timeout is {V} seconds now.", "The {S} timeout was {O} seconds, it is {V} now.")),
    Attribute("services", "n2", ("The rate limit of {S} is {V} requests per second.", "{S} allows {V} requests per second."),
              ("The {S} rate limit was lowered to {V} requests per second.", "{S} now allows {V} requests per second.")),
    Attribute("services", "version", ("{S} runs version {V}.", "The {S} version in production is {V}.", "{S} is at {V}"),
              ("{S} was upgraded to version {V}.", "{S} was rolled back from {O} to {V}.", "{S} is at version {V} now.")),
    Attribute("services", "onoff", ("The {S} feature flag is {V}.", "{S} is {V}."),
              ("The {S} feature flag was switched and is {V} now.", "{S} is {V} again.")),
    Attribute("projects", "months", ("Project {S} launches in {V}.", "The deadline of {S} is in {V}.", "{S} launch: {V}"),
              ("The launch of {S} was postponed to {V}.", "{S} slipped from {O} to {V}.", "{S} launches in {V} instead of {O}.")),
    Attribute("projects", "people", ("{V} leads project {S}.", "The lead of {S} is {V}.", "{S} lead: {V}"),
              ("{V} replaced {O} as lead of {S}.", "{V} took over {S}.", "{S} is now led by {V}.")),
    Attribute("projects", "n2", ("{S} is {V}% complete.", "{S} progress: {V}%"),
              ("{S} progressed to {V}%.", "{S} is {V}% complete now.")),
    Attribute("projects", "n2", ("Project {S} has a budget of {V}k.", "The budget for {S} is {V}k euros."),
              ("The budget of {S} was cut to {V}k.", "The budget for {S} was raised from {O}k to {V}k.")),
    Attribute("projects", "status", ("{S} is {V}.", "Status of {S}: {V}", "Project {S} is {V}."),
              ("{S} is {V} now.", "{S} went from {O} to {V}.")),
    Attribute("projects", "tools", ("{S} tracks issues in {V}.", "{S} uses {V}."),
              ("{S} switched to {V}.", "{S} uses {V} instead of {O}.", "{S} dropped {O} for {V}.")),
    Attribute("events", "weekdays", ("{S} is on {V}.", "{S} takes place on {V}.", "{S}: {V}"),
              ("{S} was moved to {V}.", "{S} is on {V} instead of {O}.", "{S} is on {V} now.")),
    Attribute("events", "clock", ("{S} starts at {V}.", "{S} is at {V}.", "{S} begins at {V}."),
              ("{S} was moved to {V}.", "{S} starts at {V} from now on.", "{S} starts at {V}, not at {O}.")),
    Attribute("events", "cities", ("{S} is in {V}.", "{S} will be held in {V}."),
              ("{S} was moved to {V}.", "{S} will be held in {V}, not in {O}.")),
)  # fmt: skip

MANY: tuple[tuple[tuple[str, ...], tuple[str, ...], str, str], ...] = (
    (("{S} speaks {V}.", "{S} knows {V}."), ("{S} no longer speaks {V}.", "{S} has forgotten {V} entirely."), "person", "languages"),
    (("{S} has a {V}.", "{S} owns a {V}.", "{S} bought a {V}."), ("{S} sold the {V}.", "{S} no longer owns a {V}."), "person", "vehicles"),
    (("{S} visited {V}.", "{S} has been to {V}.", "{S} travelled to {V} last year."), (), "person", "countries"),
    (("{S} does {V} in the evenings.", "{S}'s hobby is {V}.", "{S} took up {V}."), ("{S} gave up {V}.", "{S} stopped {V}.", "{S} doesn't do {V} any more."), "person", "hobbies"),
    (("{S} is allergic to {V}.", "{S} has an allergy to {V}."), ("{S} is no longer allergic to {V}.", "{S} has outgrown the allergy to {V}."), "person", "allergens"),
    (("{S} met {V} at the conference.", "{S} had lunch with {V}.", "{S} is friends with {V}."), (), "person", "people"),
    (("{S} read some {V} last month.", "{S} collects {V}."), ("{S} stopped collecting {V}.",), "person", "books"),
    (("{S} tried {V} at the market.", "{S} cooked {V} on Sunday."), (), "person", "foods"),
    (("{S} supports {V}.", "{S} has a {V} client.", "The {S} SDK exists for {V}."), ("{S} no longer supports {V}.", "{S} dropped support for {V}."), "services", "code"),
    (("{S} has an integration with {V}.", "{S} sends alerts to {V}."), ("{S} does not send alerts to {V} any more.", "The {V} integration of {S} was removed."), "services", "tools"),
    (("Fixed {V} in {S}.", "{S}: {V} is fixed"), (), "services", "bugs"),
    (("{V} works on {S}.", "{V} joined the {S} team.", "{V} reviewed {S}."), ("{V} left the {S} team.", "{V} no longer works on {S}."), "projects", "people"),
    (("{S} needs us to {V}.", "TODO for {S}: {V}", "Next step for {S}: {V}."), (), "projects", "tasks"),
    (("{S} has a customer called {V}.", "{V} uses {S}."), ("{V} stopped using {S}.", "{V} cancelled its {S} contract."), "projects", "companies"),
    (("{S} learned about {V} at school.", "{S} saw {V} at the zoo.", "{S} has {V}."), ("{S} doesn't have {V} any more.",), "person", "pets"),
    (("{S} wore {V} to the party.", "{S} bought {V}."), (), "person", "clothes"),
    (("invoice {V} was sent to {S}", "Invoice {V} for {S} is open."), (), "companies", "invoice"),
    (("{S} filed ticket {V}.", "Ticket {V} is about {S}."), (), "services", "ticket"),
    (("step {V} of the {S} guide is done", "Chapter {V} covers {S}.", "{S} test case {V} passes."), (), "services", "n"),
)  # fmt: skip

ENDINGS: tuple[str, ...] = (
    ", as the team agreed in the meeting.", ", which works well so far.", " and everybody is happy with it.",
    " since last year.", ", says Olga.", ", see the wiki for details.", " because it is practical.",
)  # fmt: skip

TASTES: dict[str, tuple[str, ...]] = {
    "like": ("{S} likes {V}.", "{S} loves {V}.", "{S} really enjoys {V}.", "{S} is a fan of {V}.", "{S} adores {V}.", "{S} is into {V}."),
    "dislike": ("{S} hates {V}.", "{S} dislikes {V}.", "{S} can't stand {V}.", "{S} doesn't like {V}.", "{S} avoids {V}.", "{S} is not a fan of {V}."),
    "now like": ("{S} has come to love {V}.", "{S} likes {V} now.", "{S} has started to enjoy {V}.", "These days {S} enjoys {V}."),
    "now dislike": ("{S} can't stand {V} any more.", "{S} no longer likes {V}.", "{S} went off {V}.", "{S} used to like {V}, but not any more.", "{S} is fed up with {V}.", "{S} has lost interest in {V}."),
}  # fmt: skip

PLANS: tuple[tuple[str, str, str], ...] = (
    ("We plan a trip to {countries} in {months}.", "We cancelled the trip to {countries}.", "The trip to {countries} in {months} was wonderful."),
    ("I am going to buy a {vehicles}.", "I decided not to buy a {vehicles} after all.", "I bought the {vehicles}."),
    ("{people} will move to {cities} in {months}.", "{people} is not moving to {cities} any more.", "{people} moved to {cities} in {months} as planned."),
    ("Project {projects} will launch in {months}.", "The launch of {projects} has been called off.", "Project {projects} launched in {months}."),
    ("We want to migrate {services} to {clouds}.", "The migration of {services} to {clouds} was abandoned.", "The migration of {services} to {clouds} is complete."),
    ("TODO: {tasks}", "We won't {tasks} after all.", "Done: {tasks}"),
    ("{people} wants to learn {languages}.", "{people} gave up on learning {languages}.", "{people} signed up for a {languages} class."),
    ("Meeting with {people} on {weekdays}.", "The meeting with {people} on {weekdays} is cancelled.", "The meeting with {people} on {weekdays} went well."),
    ("{companies} intends to buy {companies}.", "{companies} withdrew its offer.", "{companies} completed the purchase."),
)  # fmt: skip

SCENES: dict[str, tuple[str, ...]] = {
    "actor": ("man", "woman", "boy", "girl", "dog", "child", "person", "young man", "old woman", "group of people", "brown dog",
              "couple", "cyclist", "little girl", "kid", "football player", "white cat"),
    "act": ("playing the violin", "riding a bicycle", "cutting bread", "jumping over a fence", "reading a newspaper", "eating a banana",
            "dancing", "washing a car", "climbing a ladder", "throwing a ball", "drinking water", "singing a song", "painting a wall",
            "running through the field", "frying an egg", "wearing a green coat", "holding a microphone", "pushing a cart",
            "sleeping", "carrying a box", "brushing the horse", "taking a picture", "typing on a laptop", "kicking a ball"),
    "place": ("", "", "", " in the park", " on the beach", " near a river", " in the kitchen", " on the street", " in front of a house", " outside"),
    "quality": ("tall", "smiling", "young", "tired", "blonde", "barefoot", "bearded"),
    "manner": ("happily", "slowly", "carefully", "quickly", "quietly"),
}  # fmt: skip

STATES: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...] = (
    ("The {services} server", (("is down.", "is offline.", "crashed and is unreachable."), ("is up again.", "is back online.", "works again."))),
    ("The {services} build", (("is red.", "fails.", "is broken."), ("is green again.", "passes now.", "was repaired and passes."))),
    ("The {services} change request", (("is awaiting review.", "is pending."), ("got approved.", "was rejected.", "has been merged."))),
    ("{people}", (("is single.", "is not married."), ("got married in {months}.", "is engaged to {people}."))),
    ("{people}", (("is married.",), ("got divorced.", "is separated now."))),
    ("{people}", (("is looking for work.", "has no job."), ("was hired by {companies}.", "started at {companies}."))),
    ("{people}", (("is in hospital.", "is ill."), ("has recovered.", "was released from hospital.", "is healthy again."))),
    ("Project {projects}", (("is paused.", "is on ice.", "was put on hold."), ("was resumed.", "is moving again.", "is back on track."))),
    ("Project {projects}", (("is on schedule.", "is on track."), ("is two months late.", "is in trouble.", "has been scrapped."))),
    ("The {cities} office", (("is open.", "is in use."), ("was shut down.", "has closed.", "is closed for good."))),
    ("The {services} endpoint", (("is public.", "needs no login."), ("is internal only now.", "requires a login now."))),
    ("{people}'s flat", (("is for rent.", "is empty."), ("has been rented out.", "is occupied now."))),
    ("{people}'s {vehicles}", (("is broken.", "is in the workshop."), ("is repaired.", "runs again."))),
    ("The {services} job", (("runs daily.", "runs every night."), ("runs weekly.", "runs once a month now."))),
    ("The {companies} contract", (("is unsigned.", "is being negotiated."), ("was signed.", "fell through."))),
    ("The {companies} licence", (("is valid.", "is active."), ("has expired.", "was revoked."))),
    ("{people}", (("eats meat.",), ("went vegetarian.", "is vegan now."))),
    ("{people}", (("is a vegetarian.",), ("eats fish and meat again.",))),
    ("{people}", (("smokes.", "smokes a pack a day."), ("quit smoking.", "does not smoke any more."))),
    ("{people}", (("rides to work by bike.", "cycles to work."), ("takes the bus to work now.", "drives to work these days."))),
)  # fmt: skip
"""States of a subject: any of the first group, and any of the second that ends it."""
