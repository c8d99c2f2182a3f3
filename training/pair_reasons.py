"""Generated preferences with reasons, as assistants store them, and their revisions."""

# ruff: noqa: E501 - a template reads best on one line

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of thing people have a taste in.

    Attributes:
        items: what may be liked or not, in the plural or as a mass.
        variants: put before or after an item (``{}``) to make it more special.
        praise: reasons for it; ``{}`` is the item.
        blame: reasons against it.
        revised: reasons after a change of mind.
    """

    items: tuple[str, ...]
    variants: tuple[str, ...]
    praise: tuple[str, ...]
    blame: tuple[str, ...]
    revised: tuple[str, ...]


KINDS: dict[str, Kind] = {
    "pets": Kind(
        ("border collies", "cats", "guinea pigs", "parakeets", "turtles", "greyhounds", "ferrets", "tarantulas"),
        ("rescued {}", "older {}", "{} that get along with children", "long-haired {}"),
        ("{} are loyal and keep me company on lonely evenings", "{} are calm and easy to care for in a small flat", "caring for {} gives my day a rhythm"),
        ("{} need more time than my job leaves me", "{} make me nervous because I cannot read them", "{} are noisy and messy around the house"),
        ("a friend's pet showed me how gentle {} can be", "fostering taught me that {} are affectionate companions"),
    ),
    "food": Kind(
        ("lentil soup", "sushi", "barbecued ribs", "sourdough bread", "pad thai", "aubergines", "fried chicken", "oatmeal"),
        ("{} with fresh herbs", "home-made {}", "vegan {}", "{} with seasonal vegetables"),
        ("{} is nourishing and reminds me of my grandmother's kitchen", "{} is quick to make and full of flavour", "{} keeps me full through long shifts"),
        ("{} is too greasy for my stomach", "the texture of {} puts me off", "{} does not fit my diet"),
        ("a cooking class changed my view of {}", "a new recipe made {} lighter and much tastier"),
    ),
    "drinks": Kind(
        ("espresso", "rooibos tea", "craft lager", "energy drinks", "mango lassi", "sparkling water", "red wine"),
        ("iced {}", "{} with lemon", "organic {}", "sugar-free {}"),
        ("{} wakes me up and helps me through the first meetings", "{} is refreshing after a workout", "a glass of {} in the evening calms me"),
        ("{} makes my heart race and ruins my sleep", "{} is far too sweet", "{} gives me headaches the next day"),
        ("a tasting with colleagues taught me to enjoy {}", "a milder sort of {} agrees with me"),
    ),
    "sports": Kind(
        ("trail running", "boxing", "table tennis", "swimming laps", "rock climbing", "pilates", "football", "sailing"),
        ("indoor {}", "{} in a group", "competitive {}", "{} with a coach"),
        ("{} clears my head and keeps me in shape", "{} lets me spend time with friends outdoors", "{} builds strength and patience"),
        ("{} is hard on my joints", "{} feels too aggressive for me", "{} takes too much time for too little fun"),
        ("a beginner's course showed me how rewarding {} is", "joining a club turned {} into the best part of my week"),
    ),
    "music": Kind(
        ("jazz piano", "death metal", "baroque music", "techno", "bluegrass", "rap", "choral music", "synth pop"),
        ("live {}", "instrumental {}", "early {}", "{} with poetic lyrics"),
        ("{} helps me concentrate while I work", "{} lifts my mood on grey days", "the rhythms of {} inspire my own playing"),
        ("{} is too loud and wears me out", "{} sounds monotonous to my ears", "the lyrics of {} put me off"),
        ("a concert opened my ears to the depth of {}", "a friend's playlist made me appreciate {}"),
    ),
    "films": Kind(
        ("slasher films", "courtroom dramas", "nature documentaries", "romantic comedies", "space operas", "silent movies", "war films"),
        ("foreign {}", "classic {}", "{} based on true stories", "low-budget {}"),
        ("{} keep me on the edge of my seat", "{} teach me something about people", "{} let me forget the day"),
        ("{} disturb my sleep", "{} are predictable and shallow", "{} glorify things I object to"),
        ("a festival screening changed my mind about {}", "recent {} have surprisingly strong characters"),
    ),
    "books": Kind(
        ("historical novels", "management books", "poetry anthologies", "crime novels", "memoirs", "science fiction", "philosophy essays"),
        ("short {}", "contemporary {}", "{} by women authors", "translated {}"),
        ("{} broaden my view of the world", "{} give me ideas for my work", "{} help me wind down before sleep"),
        ("{} feel dry and far from real life", "{} are padded with clichés", "{} take too long to get to the point"),
        ("my reading group convinced me that {} can be gripping", "one excellent author made me return to {}"),
    ),
    "games": Kind(
        ("shooter games", "crossword puzzles", "chess", "farming simulators", "card games", "racing games", "escape rooms"),
        ("cooperative {}", "mobile {}", "{} with a story", "fast-paced {}"),
        ("{} train my logic and patience", "{} bring the whole family to the table", "{} are a relaxing break from coding"),
        ("{} are addictive and waste my evenings", "{} make me dizzy", "{} are too violent for my taste"),
        ("playing with my nephew made me see the fun in {}", "the newest {} are clever and less stressful"),
    ),
    "clothes": Kind(
        ("denim jackets", "high heels", "merino sweaters", "tailored suits", "running tights", "summer dresses", "hoodies"),
        ("second-hand {}", "oversized {}", "{} from recycled fibres", "colourful {}"),
        ("{} are comfortable and go with everything", "{} give me confidence in front of clients", "{} are warm without being heavy"),
        ("{} pinch and look wrong on me", "{} are impractical for cycling to work", "{} feel too formal"),
        ("a tailor showed me that {} can fit well", "a new brand makes {} that suit my values"),
    ),
    "travel": Kind(
        ("cruises", "mountain hikes abroad", "city breaks", "all-inclusive resorts", "camper van tours", "group tours", "museum trips"),
        ("slow {}", "budget {}", "{} off the beaten track", "family-friendly {}"),
        ("{} let me learn about other cultures", "{} give me time with the people I love", "{} recharge my batteries"),
        ("{} are crowded and rushed", "{} harm the places one visits", "{} leave no room for spontaneity"),
        ("a trip with a good guide made me like {}", "travelling with small children made {} attractive"),
    ),
}  # fmt: skip


def reasoned(rng: random.Random, kind: str) -> tuple[str, str]:
    """A preference and its revision, in the same rendering."""
    things = KINDS[kind]
    item, other = rng.sample(things.items, 2)
    special = rng.choice(things.variants).format(item)
    likes, dislikes = (rng.choice(r).format(item) for r in (things.praise, things.blame))
    revised = rng.choice(things.revised).format(item)
    again = rng.choice(things.praise).format(special)
    before, after = rng.choice((
        (("like", item, likes), ("dislike", item, dislikes)),
        (("dislike", item, dislikes), ("like", item, revised)),
        (("like", item, likes), ("like", special, again)),
        (("dislike", item, dislikes), ("like", special, again)),
        (("like", item, likes), ("like", f"{item} and {other}", likes.replace(item, f"{item} and {other}"))),
        (("like", f"{item} and {other}", likes), ("like", special, again)),
    ))  # fmt: skip
    render = rng.choice(_RENDERINGS)
    return render(*before), render(*after)


def _labelled(_: str, item: str, reason: str) -> str:
    return f"{item.capitalize()}. {reason[0].upper()}{reason[1:]}."


def _because(verb: str, item: str, reason: str) -> str:
    return f"I {verb} {item} because {reason}."


def _user(verb: str, item: str, reason: str) -> str:
    return f"User {verb}s {item}: {reason[0].upper()}{reason[1:]}."


def _since(verb: str, item: str, reason: str) -> str:
    return f"I {'enjoy' if verb == 'like' else 'avoid'} {item}, since {reason}."


def _spoken(verb: str, item: str, reason: str) -> str:
    return f"{item.capitalize()}. I {'love' if verb == 'like' else 'dislike'} {item} as {reason}."


def _verb_first(verb: str, item: str, reason: str) -> str:
    return f"{verb.capitalize()}s {item}. Because {reason}."


_RENDERINGS = (_labelled, _labelled, _because, _user, _since, _spoken, _verb_first)
