"""The first person replaced by a name, or left alone where it is doubtful."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.graph.local.person import applied, resolve
from hypermnesia.graph.local.verbs import agreed, third_person

RESOLVED = [
    ("I went to the shop", "Ann went to the shop"),
    ("I love dancing", "Ann loves dancing"),
    ("I try hard", "Ann tries hard"),
    ("I play the cello", "Ann plays the cello"),
    ("I teach maths", "Ann teaches maths"),
    ("I go to Oslo twice a year", "Ann goes to Oslo twice a year"),
    ("I'm tired", "Ann is tired"),
    ("I\u2019m tired", "Ann is tired"),
    ("im tired", "Ann is tired"),
    ("I am not sure", "Ann is not sure"),
    ("I was late", "Ann was late"),
    ("I've lived here since 2019", "Ann has lived here since 2019"),
    ("I have two cats", "Ann has two cats"),
    ("I haven't eaten", "Ann hasn't eaten"),
    ("I don't eat meat", "Ann doesn't eat meat"),
    ("I didn't go", "Ann didn't go"),
    ("I do yoga", "Ann does yoga"),
    ("I'll call her", "Ann will call her"),
    ("I'd rather stay", "Ann'd rather stay"),
    ("I can swim", "Ann can swim"),
    ("I might move to Rome", "Ann might move to Rome"),
    ("I need a new bike", "Ann needs a new bike"),
    ("I used to smoke", "Ann used to smoke"),
    ("I really like tea", "Ann really likes tea"),
    ("I just got back", "Ann just got back"),
    ("I never eat fish", "Ann never eats fish"),
    ("I usually just walk", "Ann usually just walks"),
    ("I'm not a fan", "Ann is not a fan"),
    ("My sister lives in Rome", "Ann's sister lives in Rome"),
    ("They stole my bike", "They stole Ann's bike"),
    ("He gave me a book", "He gave Ann a book"),
    ("A friend of mine moved", "A friend of Ann's moved"),
    ("I lost my job", "Ann lost Ann's job"),
    ("I think I am right", "Ann thinks Ann is right"),
    ("I know that I can win", "Ann knows that Ann can win"),
    ("If I were rich, I would travel", "If Ann were rich, Ann would travel"),
    ("Yesterday I saw a fox", "Yesterday Ann saw a fox"),
    ("On Monday I start a job", "On Monday Ann starts a job"),
    ("Last May I moved", "Last May Ann moved"),
    ("It was me", "It was Ann"),
    ("I rely on him", "Ann relies on him"),
    ("I need to go and see a doctor", "Ann needs to go and see a doctor"),
    ("I want to sing and dance", "Ann wants to sing and dance"),
    ("I'm gonna visit and help him", "Ann is gonna visit and help him"),
    ("I love cats and dogs", "Ann loves cats and dogs"),
    ("I cooked and cleaned", "Ann cooked and cleaned"),
    ("I adopted a dog, a mix of two breeds", "Ann adopted a dog, a mix of two breeds"),
    ('My boss said "I quit" to me', 'Ann\'s boss said "I quit" to Ann'),
    ("I wrote it", "Ann wrote it"),
    ("My sister and I went to Rome", "Ann's sister and Ann went to Rome"),
    ("I work in the US", "Ann works in the US"),
    ("I wake up at 6 am", "Ann wakes up at 6 am"),
    ("I proceed slowly", "Ann proceeds slowly"),
    ("I own a van", "Ann owns a van"),
    ("i went home", "Ann went home"),
    ("I can't swim", "Ann can't swim"),
    ("I fix bikes", "Ann fixes bikes"),
    ("Dance is my passion", "Dance is Ann's passion"),
    ("Moving made me sad", "Moving made Ann sad"),
    ("I told you about the flat", "Ann told Bo about the flat"),
    ("I met you last May", "Ann met Bo last May"),
    ("I'm going with you", "Ann is going with Bo"),
    ("I love your painting", "Ann loves Bo's painting"),
]
DOUBTFUL = [
    "We went camping",
    "Our house is old",
    "Let's go",
    "I hurt myself",
    "I put the key under the mat",
    "I read the report",
    "I cut the grass",
    "I get up early and go for a run",
    "I wake up, make coffee, read the news",
    "I was tired and want to rest",
    "My sister and I love tea",
    "She and I've been there",
    "World War I ended in 1918",
    "Phase I starts on Monday",
    "Wish I could go",
    "Makes me happy",
    "Been at my desk all day",
    "Lost my keys",
    "So do I",
    "Me, myself and I",
    "I, too, was there",
    "I",
    "I gotta run",
    "I going home",
    "I LOVE it",
    "Oh my, that hurts",
    "My god",
    "and am tired",
    'I said "well',
    "You can't deny that view",
    "I think you should go",
    "I know your type",
    "If I knew you better",
    "I wonder how you do it",
    "I can't wait for you to come",
    "Your studio looks great",
    "I'd've gone",
    "The gold mine closed and mine workers left",
]


@pytest.mark.parametrize(("said", "named"), RESOLVED)
def test_the_speaker_is_named_and_the_verb_agrees(said: str, named: str) -> None:
    """The name takes the place of the first person."""
    edits = resolve(said, "Ann", "Bo")
    assert edits is not None
    assert applied(said, edits) == named


@pytest.mark.parametrize("said", DOUBTFUL)
def test_a_doubtful_person_is_left_alone(said: str) -> None:
    """No answer is better than a wrong one."""
    assert resolve(said, "Ann", "Bo") is None


def test_the_table_is_large_enough_to_mean_something() -> None:
    """At least sixty resolutions, none of them twice."""
    assert len({said for said, _ in RESOLVED}) == len(RESOLVED) >= 60


def test_you_is_nobody_in_a_group() -> None:
    """Without a single other person nothing tells who is meant."""
    assert resolve("I told you about the flat", "Ann", None) is None


def test_a_statement_without_persons_needs_no_edit() -> None:
    """Neither doubt nor change."""
    assert resolve("The store opens at 9", "Ann", "Bo") == ()


@pytest.mark.parametrize(
    ("verb", "form"),
    [("watch", "watches"), ("carry", "carries"), ("enjoy", "enjoys"), ("miss", "misses")],
)
def test_the_third_person_is_spelt_by_rule(verb: str, form: str) -> None:
    """Sibilants take ``es``, a consonant's ``y`` becomes ``ies``."""
    assert third_person(verb) == form


@pytest.mark.parametrize("word", ["been", "going", "the", "caf\u00e9", "x", "let"])
def test_what_may_be_no_verb_is_doubtful(word: str) -> None:
    """Participles, function words and forms that may be past."""
    assert agreed(word) is None


WORDS = """I I'm I've my me mine we you your and but am went love , . " ' go US to the not"""
PIECES = st.lists(st.sampled_from(WORDS.split())).map(" ".join)


@given(st.text() | PIECES)
def test_edits_are_ordered_and_stay_inside_the_text(text: str) -> None:
    """They can be carried out from left to right, and leave all else as it was."""
    edits = resolve(text, "Zoe", "Bo")
    if edits is None:
        return
    places = [place for edit in edits for place in (edit.start, edit.end)]
    assert all(a <= b for a, b in pairwise([0, *places, len(text)]))
    kept = [text[a:b] for a, b in zip([0, *places[1::2]], [*places[::2], len(text)], strict=True)]
    result = applied(text, edits)
    assert all(piece in result for piece in kept)


@given(PIECES)
def test_no_first_person_remains_once_resolved(text: str) -> None:
    """Outside quotations."""
    edits = resolve(text, "Zoe", "Bo")
    if (
        edits is not None
        and '"' not in text
        and "'" not in text.replace("I'm", "").replace("I've", "")
    ):
        assert not {"I", "I'm", "I've", "my", "me", "we", "you"} & set(applied(text, edits).split())
