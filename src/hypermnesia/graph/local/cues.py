"""What turns of talk do beside stating something: greet, part, thank, ask, change the subject."""

# ruff: noqa: E501 - a list of phrases reads best on one line

from __future__ import annotations

import re

_LEAD = re.compile(
    r"(?:(?:oh|ooh|ah|aw|aww|wow|whoa|woah|well|yeah|yes|yep|yup|no|nope|nah|ok|okay|sure|right|haha|lol|hmm|hey|hi|hello"
    r"|man|gosh|oh my god|oh my gosh|omg|honestly|actually|you know|i mean|exactly|absolutely|definitely|totally|of course"
    r"|thanks|thank you|cool|nice|great|awesome|sorry|for example|also|by the way|btw|anyways?)(?:,? (?-i:[A-Z])[\w'\u2019-]+)?"
    r"(?:\s*(?:[,!.\u2026\u2014]|-(?=\s))+\s*)"
    r"|(?:and|but|so|also|plus|then|or)\s+(?!far\b|that\b|much\b|many\b|on\b))",
    re.IGNORECASE,
)
_GREETING = re.compile(
    r"\W*(?:(?:hey|hi|hiya|hello|yo|howdy|greetings)\b|good (?:morning|afternoon|evening|day)\b|long time\b|what['\u2019]?s up\b"
    r"|how (?:are|have) you\b|how['\u2019]s (?:it|everything|life)\b"
    r"|(?:it['\u2019]s )?(?:so )?(?:nice|good|great|lovely) (?:to )?(?:see|seeing|hear|hearing|meet|meeting)\b)",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"\b(?:good ?bye|bye|see (?:you|ya) (?:soon|later|then|tomorrow|around|there)|see ya|(?:talk|speak) (?:to you |again )?(?:soon|later)"
    r"|take care|good ?night|catch you later|have a (?:good|great|nice|lovely) (?:day|night|evening|one|weekend|time)"
    r"|(?:gotta|got to|have to|need to|must) (?:go|run)\b(?! to)|ttyl|until next time)\b",
    re.IGNORECASE,
)
_TRANSITION = re.compile(
    r"\W*(?:(?:oh|so|ok|okay|well|hey|alright|yeah|and|but)\W+){0,2}(?:by the way|btw|anyways?\b|on (?:another|a different|a separate|a side) note"
    r"|speaking of|chang(?:ing|e) (?:the |of )?(?:subject|topic)|switching (?:gears|topics)|moving on|next (?:topic|question|up)"
    r"|new (?:topic|question|subject)|unrelated|before i forget|that reminds me|(?:one|another) (?:more |other |last )?(?:thing|question)"
    r"|separately|guess what|(?:i(?:['\u2019]ve got| have|['\u2019]ve)|got) (?:some |big |great |good |exciting )*news|also, i (?:wanted|need|have)|something else"
    r"|(?:a )?different question|let['\u2019]s (?:move on|talk about|switch))",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"(?:(?:and|but|so|or|also|plus)\s+)?(?:(?:can|could|would|will|should|do|does|did|is|are|was|were|have|has)(?:n['\u2019]t)?\s+(?:i|we|you|he|she|they|it|this|that|there|your|my)\b"
    r"|(?:how|what|when|where|which|who|why)(?:['\u2019]s|\s+(?:can|could|should|would|do|does|did|is|are|was|were|about|kind|else|much|many|long|often))\b"
    r"|any (?:tips|ideas|advice|suggestions|plans|chance)\b|got any\b|wanna\b)",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r"\b(?:maybe|perhaps|might|may|probably|possibly|i think|i guess|i suppose|not sure|hope to|hoping to|thinking (?:about|of)|could|would)\b",
    re.IGNORECASE,
)
_CAUSAL = re.compile(
    r"\b(?:because|['\u2019]cause|cuz|so that|due to|that['\u2019]s why|therefore|as a result|in order to|thanks to|which led)\b",
    re.IGNORECASE,
)
_ANAPHOR = re.compile(
    r"(?:it|it['\u2019](?:s|ll|d)|its|they|they['\u2019](?:re|ve|ll|d)|them|their|he|she|he['\u2019]s|she['\u2019]s|his|her|him|one)\b"
    r"|(?:that|this|these|those)(?:['\u2019](?:s|ll|d)| (?:is|are|was|were|has|have|will|would|can|could|makes?|made|gives?|gave|means?|helps?|helped|really|also))\b",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"\W*(?:(?:many |so )?thanks|thank you|thx|congrat(?:s|ulations)|good luck|i (?:really )?appreciate|keep (?:it )?up)\b",
    re.IGNORECASE,
)
_HEADING = re.compile(r"\*\*[^*]+\*\*\s*$")
_YES_OR_NO = re.compile(
    r"\W*(?:yes|yeah|yep|yup|no|nope|nah|not yet|not really|never|of course|definitely|absolutely|sure|i do|i have|i did|i don['\u2019]t|i haven['\u2019]t|i didn['\u2019]t|unfortunately not)\W*$",
    re.IGNORECASE,
)


def lead(text: str) -> int:
    """Length of the interjections and conjunctions that a statement begins with: "Oh, and "."""
    end = 0
    while match := _LEAD.match(text, end):
        end = match.end()
    return end if end < len(text) else 0


def greets(text: str) -> bool:
    """Whether a turn begins with a greeting."""
    return _GREETING.match(text) is not None


def closes(text: str) -> bool:
    """Whether a turn takes leave."""
    return _CLOSING.search(text) is not None


def turns_to_another_subject(text: str) -> bool:
    """Whether a turn begins with words that announce another subject."""
    return _TRANSITION.match(text) is not None


def asks(text: str) -> bool:
    """Whether a statement is a question, with or without its mark."""
    mark = max(text.rfind("?"), text.rfind("\uff1f"))
    marked = mark >= 0 and not any(map(str.isalnum, text[mark + 1 :]))
    return marked or _ASKING.match(text) is not None


def hedges(text: str) -> bool:
    """Whether a statement is made with reserve."""
    return _HEDGED.search(text) is not None


def gives_reason(text: str) -> bool:
    """Whether a statement says why."""
    return _CAUSAL.search(text) is not None


def points_back(text: str) -> bool:
    """Whether a statement begins with a word for something said before."""
    return _ANAPHOR.match(text) is not None


def is_courtesy(text: str) -> bool:
    """Whether a statement begins as thanks, congratulations or encouragement do."""
    return _THANKS.match(text) is not None


def introduces(text: str) -> bool:
    """Whether a statement is a heading, or only leads to what follows it."""
    return text.rstrip(" *_`").endswith(":") or _HEADING.match(text) is not None


def is_yes_or_no(text: str) -> bool:
    """Whether the whole of a text says yes or no."""
    return _YES_OR_NO.match(text) is not None
