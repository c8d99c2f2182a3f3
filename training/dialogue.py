"""Turns of a conversation: small talk around news, and small talk alone.

People wrap what matters in greetings, praise and questions. A turn is worth remembering when any
sentence of it is, however friendly the rest; a turn of courtesies alone is not.
"""

# ruff: noqa: E501 - a template reads best on one line

from __future__ import annotations

import random
from collections.abc import Sequence

from training.memories import Labelled, draw, fill

OPENERS = (
    "Hey {people}!", "Hi {people}, good to hear from you.", "Hey, long time no talk!", "Hello again!",
    "{people}! How have you been?", "Hey {people}, how's it going?", "Thanks, {people}!", "Thank you so much!",
    "Wow, that's great news!", "Congratulations, {people}!", "Oh no, I'm sorry to hear that.", "Haha, true!",
    "Glad you liked it.", "Yeah, totally.", "Aww, that's so sweet.", "You're right about that.", "Nice one!",
    "Good question!", "I'm doing well, thanks.", "Not much, you?", "It's been a while!", "So cool!",
    "That sounds amazing.", "I know, right?", "Absolutely!", "No worries at all.", "Sure thing, {people}.",
)  # fmt: skip
CLOSERS = (
    "How about you?", "What do you think?", "Talk soon!", "Can't wait!", "Take care!", "Have you ever tried that?",
    "What's new with you?", "Let me know how it goes.", "It means a lot to me.", "You should come along some time!",
    "Hope you're doing great.", "Any tips?", "Keep it up!", "I'm so excited!", "Let's catch up soon.", "It was so much fun!",
    "Wish me luck!", "Enjoy your evening!", "Thanks for always being there for me.", "See you!",
)  # fmt: skip
REACTIONS = (
    "You're going to do great, just keep going.", "I'm really proud of you.", "That must have felt incredible.",
    "Your hard work is paying off.", "I totally agree with you.", "It's good to have someone to talk to.",
    "You always know what to say.", "I believe in you.", "Sounds like a perfect day.", "Those photos are lovely.",
    "That view is stunning.", "I'd love to hear more about it.", "Your support means the world to me.",
    "What made you think of that?", "Do you have any pictures?", "I'm so happy for you and your family.",
    "Never give up on your dreams.", "It's all about taking one step at a time.", "Life is full of surprises.",
    "We make a great team.", "I'm here if you need anything.", "That's the spirit!", "Art can be so healing.",
    "Friends like you are hard to find.", "Nature is so calming, isn't it?", "I hope it works out for you.",
    "Being kind to yourself matters.", "That looks delicious.", "How did it turn out?", "When is it going to be?",
)  # fmt: skip
NEWS = (
    "I just signed up for a {hobbies} class.", "I started {hobbies} in {months} and I go twice a week now.",
    "We adopted a puppy last weekend, she is called {pet_names}.", "My {relation} got a job as a {jobs} in {cities}.",
    "I lost my job at {companies} yesterday.", "I'm opening my own shop in {months}.", "We got back from {countries} on {weekdays}.",
    "I went to {cities} last month for the first time.", "I finished the first draft of my book yesterday.",
    "I've been taking {languages} lessons since {months}.", "My {relation} is expecting a baby in {months}.",
    "I joined a group of volunteers at the animal shelter last {weekdays}.", "We made {foods} together for {relatives}.",
    "I read {books} when I was a teenager and it stayed with me.", "I bought a {colours} {vehicles} two weeks ago.",
    "I ran my first half marathon in {cities}, it took me {n} hours.", "My grandmother gave me this ring when I turned {n2}.",
    "I'm off to a conference in {cities} next week.", "I had an interview with {companies} this morning.",
    "I broke my arm while {hobbies} last {weekdays}.", "I've decided to go back to university for my degree.",
    "We're getting married next {months}.", "I moved out of {cities} because the rent was too high.",
    "I volunteer at the food bank every {weekdays}.", "I painted this when we stayed in {countries}.",
    "My {relation} and I hiked to the lake near {cities}.", "I quit drinking {drinks} a month ago.",
    "The doctor said it is nothing serious, but I must rest for {n} weeks.", "I gave a talk about it at school last week.",
    "Our team won the tournament on {weekdays}!", "I added some ginger and lime to the {foods}.",
    "I'm working on a project about {hobbies} with {people}.", "We saw {films} on {weekdays}, it was our second time.",
    "I grew up near {cities}, my father was a {jobs} there.", "My favourite part of the trip was {cities}.",
    "{people} and I have known each other since {year}.", "I use it to relax after work, mostly in the evening.",
    "I've got two cats, {pet_names} and {pet_names}.", "I'm saving for a trip to {countries}.",
    "The store got its first order from {countries} yesterday.", "It's a mix of drama and comedy, set in {cities}.",
    "My goal for this season is to score more and to help the team.", "I signed with a new team last week.",
    "I started a blog about {hobbies} in {year}.", "We planted tomatoes and {foods} in the garden.",
    "I have been feeling low since the accident in {months}.", "I found a roommate, his name is {people}.",
    "I'm taking next week off to be with my pets.", "I have a {colours} guitar that my dad left me.",
)  # fmt: skip
CAPTIONS = (
    "a dog on a beach", "a bowl of soup on a wooden table", "two people on a mountain path", "a painting of a sunset",
    "a stack of books beside a lamp", "a child holding a trophy", "a band on a small stage", "a room with many plants",
)  # fmt: skip
KINDS = {"prefer": "preference", "decided": "decision", "goal": "project", "working on": "project"}


def generate_dialogue(seed: int, count: int) -> list[Labelled]:
    """``count`` turns with news in them and as many without, half of them with the speaker's name."""
    rng = random.Random(seed)
    turns = [_turn(rng, with_news=i % 2 == 0) for i in range(2 * count)]
    return list({turn.text: turn for turn in turns}.values())


def say(rng: random.Random, news: Sequence[str]) -> str:
    """These sentences in a turn of talk, without the speaker's name."""
    before = rng.sample(OPENERS, rng.choice((0, 1, 1, 2)))
    after = rng.sample(CLOSERS, rng.choice((0, 1, 1)))
    middle = rng.sample(REACTIONS, rng.choice((0, 1) if news else (1, 1, 2)))
    inner = [*news, *middle]
    rng.shuffle(inner)
    return " ".join(fill(rng, part) for part in (*before, *inner, *after))


def _turn(rng: random.Random, *, with_news: bool) -> Labelled:
    news = rng.sample(NEWS, rng.choice((1, 1, 2))) if with_news else []
    text = say(rng, news)
    if rng.random() < 0.5:
        text = f"{draw(rng, 'people')}: {text}"
    if rng.random() < 0.15:  # about as often as people share pictures
        text += f" [shares {rng.choice(CAPTIONS)}]"
    if not with_news:
        return Labelled(text, "conversation", 0, 0)
    kind = next((k for cue, k in KINDS.items() if any(cue in part for part in news)), "fact")
    return Labelled(text, kind, 1, 2)
