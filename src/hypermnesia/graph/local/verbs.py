"""English verbs after "I": which forms stay as they are after a name, and which take an ``s``.

Past forms are a closed class: those on ``-ed``, and the irregular ones of Quirk et al. 1985,
chapter 3. Whatever else stands where a verb must stand is a base form.
"""

# ruff: noqa: SIM905 - a list of words reads best as words

from __future__ import annotations

from hypermnesia.store.lexicon import STOP_WORDS

PAST = frozenset(
    """
    arose ate awoke bade became befell began beheld bent bit bled blew bore bought bound bred broke
    brought built burnt came caught chose clung crept dealt did dove drank dreamt drew drove dug
    dwelt fed fell felt fled flew flung forbade forgave forgot fought found froze gave got grew
    ground had heard held hid hung kept knelt knew laid leant leapt learnt led left lent lit lost
    made meant met mistook misunderstood outgrew overcame overheard overslept overtook paid
    pled proved ran rang redid rebuilt remade resold rethought retook rewrote rode rose said sang
    sank sat saw sent sewed shone shook shot shown shrank slept slid slung slunk smelt snuck sold
    sought spat sped spelt spent spoilt spoke sprang spun stank stole stood strode strove struck
    stuck stung swam swept swore swung taught thought threw told took tore trod understood undertook
    undid upheld was went wept were withdrew withheld woke won wore wove wrote
    """.split()
)
"""Irregular past forms that are no base form as well."""
SAME = frozenset(
    """
    beat bet bid broadcast burst cast cost cut fit forecast hit hurt input knit lay let offset put
    quit read reset rid set shed shut slit split spread sublet thrust typeset upset wed wet
    """.split()
)
"""Past and base form alike: only more context could tell."""
BASE_ON_ED = frozenset(
    "need feed speed bleed breed heed weed seed embed shred proceed succeed exceed".split()
)
"""Base forms that end as past forms do."""
INVARIANT = frozenset(
    """
    can could will would shall should may might must ought used can't cannot cant couldn't couldnt
    won't wont wouldn't wouldnt shan't shouldn't shouldnt mightn't mustn't didn't didnt hadn't hadnt
    wasn't wasnt weren't could've would've should've might've must've ain't
    """.split()
)
"""Auxiliaries that are the same for every person."""
CHANGED = {
    "am": "is",
    "have": "has",
    "haven't": "hasn't",
    "havent": "hasn't",
    "do": "does",
    "don't": "doesn't",
    "dont": "doesn't",
}
"""Auxiliaries that are not, with the form for a name."""
ADVERBS = frozenset(
    """
    really also always just never still even usually often sometimes finally already only actually
    definitely probably totally currently kinda sorta now once almost truly ever soon mostly rarely
    seldom recently initially originally literally honestly basically then not personally
    absolutely barely hardly nearly simply generally normally eventually officially quickly
    """.split()
)
"""Words that stand between "I" and its verb."""
COORDINATED = frozenset(
    """
    am add ask bake believe book break bring build buy call carry clean climb collect come cook cry
    dance decide do don't draw drink drive eat enjoy exercise feed feel find finish fly follow
    forget
    get give go grow hate have haven't help hike hope jog journal keep know laugh learn leave
    like listen live
    look love make meditate meet miss move need paint pick plan play practice prefer pray put
    read relax
    remember rest ride run save say see sell send share shop sing sit skate sketch sleep spend
    stand start stay stop study surf swim take talk teach tell text think throw train travel try
    turn use visit
    volunteer wait wake walk want wash watch wear wish wonder work worry write
    """.split()
)
"""Base forms that often share the subject of a verb before them."""
FINITE = frozenset("am do don't have haven't want know think".split())
"""The ones that do so even behind a past form ("was tired and want to rest"), and are no nouns."""

_HANGING = frozenset("been being done gone seen gotta wanna gonna".split())
_NO_VERBS = (STOP_WORDS - {"like", "need", "own"}) | _HANGING | {"too", "myself"}
_OPENING_VERBS = COORDINATED | SAME | INVARIANT | _HANGING | frozenset(CHANGED)
_VOWELS = "aeiou"


def is_past(verb: str) -> bool:
    """Whether a lower-case word after a subject is a past form."""
    return verb in PAST or (verb.endswith("ed") and len(verb) > 3 and verb not in BASE_ON_ED)  # noqa: PLR2004 - "red"


def agreed(verb: str) -> str | None:
    """The form of a verb after a name instead of "I".

    Args:
        verb: lower case, with straight apostrophes, as it stands after "I".

    Returns:
        The verb itself where nothing changes; ``None`` when it is doubtful, or no verb.
    """
    if verb in INVARIANT or is_past(verb):
        return verb
    if verb in CHANGED:
        return CHANGED[verb]
    doubtful = verb in SAME or verb in _NO_VERBS or verb.endswith("ing")
    if doubtful or len(verb) == 1 or not (verb.isascii() and verb.isalpha()):
        return None
    return third_person(verb)


def third_person(verb: str) -> str:
    """A base form with the ending of the third person: ``tries``, ``goes``, ``plays``."""
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return verb + "es"
    if verb.endswith("y") and verb[-2:-1] not in _VOWELS:
        return verb[:-1] + "ies"
    return verb + "s"


def is_common(word: str) -> bool:
    """Whether a lower-case word is a form of a frequent verb."""
    return word in _COMMON


def leaves_out_subject(word: str) -> bool:
    """Whether a statement that begins with this word lacks its subject: "Wish I could"."""
    return word in _OPENING_VERBS or is_past(word)


_COMMON = (
    COORDINATED | PAST | {third_person(v) for v in (*COORDINATED, "sound", "look", "seem", "need")}
)


def is_adverb(word: str) -> bool:
    """Whether a lower-case word may stand between "I" and its verb."""
    if word in ADVERBS:
        return True
    verbs = ("apply", "comply", "fly", "imply", "multiply", "rely", "reply", "supply", "rally")
    return word.endswith("ly") and word not in verbs
