"""A labelled set for redaction: secrets in context, and ordinary technical text without any.

Everything is made up from a seed. Each half has its own templates, names and draw of values; the
rules were written against the half ``tuned``, the half ``held out`` was only measured.
"""

from __future__ import annotations

import base64
import json
import random
import re
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bench import privacy_phrases as phrases
from bench.privacy_formats import IN_CONTEXT, PROVIDERS

HALVES = ("tuned", "held out")
SEED = 20261201

_ALPHABETS = {
    "w": string.ascii_letters + string.digits,
    "h": "0123456789abcdef",
    "d": string.digits,
    "u": string.ascii_uppercase + "234567",
    "l": string.ascii_lowercase + string.digits,
    "b": string.ascii_letters + string.digits + "+/",
}
_WORDS = (  # noqa: SIM905 - a list of words reads better so
    "amber anchor apple basil beacon bishop breeze candle canyon cedar cobalt comet copper coral "
    "cricket dragon ember falcon feather fjord garden ginger glacier hammer harbor hazel heron "
    "island jasper kestrel ladder lantern lemon lotus magnet maple marble meadow mosaic nectar "
    "olive orchid otter pebble pepper pigeon plasma quartz rabbit raven river saffron salmon "
    "shadow silver spruce summit thistle tiger tulip velvet walnut willow winter zebra"
).split()


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text with one secret in it.

    Attributes:
        family: what it is counted under.
        personal: only the switch for personal data finds it.
    """

    family: str
    text: str
    secret: str
    personal: bool = False


def positives(half: int) -> list[Labelled]:
    """The secrets of one half, at least 750."""
    rng = random.Random(SEED + half)
    return [*_providers(half, rng), *_assignments(half, rng), *_spoken(half, rng),
            *_structured(half, rng), *_personal(half, rng)]  # fmt: skip


def drawn(template: str, rng: random.Random) -> str:
    """A template with random characters in place of ``<w36>`` and the like."""

    def draw(place: re.Match[str]) -> str:
        return "".join(rng.choices(_ALPHABETS[place[1]], k=int(place[2])))

    return re.sub(r"<([whdulb])(\d{1,3})>", draw, template)


def _providers(half: int, rng: random.Random) -> Iterator[Labelled]:
    frames = phrases.PROVIDER_FRAMES[half]
    for template in PROVIDERS:
        for frame in rng.sample(frames, 3):
            secret = drawn(template, rng)
            yield Labelled("provider", frame.format(s=secret), secret)
    for template in IN_CONTEXT:
        for _ in range(3):
            yield _marked("provider", drawn(template, rng))


def _assignments(half: int, rng: random.Random) -> Iterator[Labelled]:
    names = phrases.ASSIGNMENT_NAMES[half]
    for frame in phrases.ASSIGNMENT_FRAMES[half]:
        for _ in range(24):
            name = rng.choice(names)
            machine = re.search(r"(?i)key|token|secret", name) is not None
            secret = rng.choice(_MACHINE)(rng) if machine else rng.choice(_STRONG)(rng)
            yield Labelled("assignment", frame.format(n=name, s=secret), secret)


def _spoken(half: int, rng: random.Random) -> Iterator[Labelled]:
    for frame in phrases.SPOKEN_PASSWORD[half]:
        for _ in range(14):
            secret = rng.choice(_HUMAN)(rng)
            yield Labelled("spoken", frame.format(s=secret), secret)
    for frame in phrases.SPOKEN_CODE[half]:
        for _ in range(10):
            secret = "".join(rng.choices(string.digits, k=rng.choice((4, 4, 5, 6))))
            yield Labelled("spoken", frame.format(s=secret), secret)


def _structured(half: int, rng: random.Random) -> Iterator[Labelled]:
    for family, template in phrases.STRUCTURED[half]:
        for _ in range(15):
            key = _private_key(rng)
            filled = template.format(
                p=rng.choice(_URL_SAFE)(rng), j=_jwt(rng), b=f"«{_basic(rng)}»",
                k=f"«{key}»", e=f"«{json.dumps(key)[1:-1]}»",
            )  # fmt: skip
            yield _marked(family, drawn(filled, rng))


def _personal(half: int, rng: random.Random) -> Iterator[Labelled]:
    for kind, template in phrases.PERSONAL[half]:
        for _ in range(20):
            value = _PERSONAL[kind](rng)
            yield Labelled(f"personal: {kind}", template.format(v=value), value, personal=True)


def _marked(family: str, text: str) -> Labelled:
    before, _, rest = text.partition("«")
    secret, _, after = rest.partition("»")
    return Labelled(family, before + secret + after, secret)


def _word(rng: random.Random) -> str:
    return rng.choice(_WORDS)


def _leet(rng: random.Random) -> str:
    return _word(rng).capitalize().translate(str.maketrans("aeio", "4310")) + rng.choice("!#$&*")


def _random_password(rng: random.Random) -> str:
    size = rng.randint(10, 18)
    body = rng.choices(string.ascii_letters + string.digits + "!#%*+-_?", k=size - 2)
    return rng.choice(string.ascii_letters) + "".join(body) + rng.choice(string.digits)


_STRONG: tuple[Callable[[random.Random], str], ...] = (
    _random_password,
    lambda rng: f"{_word(rng).capitalize()}-{_word(rng).capitalize()}-{rng.randint(10, 9999)}",
    lambda rng: f"{_word(rng)}{rng.randint(10, 9999)}",
    lambda rng: f"{_word(rng).capitalize()}{rng.randint(1950, 2030)}!",
    _leet,
    lambda rng: drawn("<w16>", rng),
)
_HUMAN: tuple[Callable[[random.Random], str], ...] = (
    *_STRONG,
    lambda rng: "-".join(rng.sample(_WORDS, 4)),
    lambda rng: f"{_word(rng)}_{_word(rng)}_{rng.randint(1, 99)}",
)
_MACHINE: tuple[Callable[[random.Random], str], ...] = (
    lambda rng: drawn("<h32>", rng),
    lambda rng: drawn("<h64>", rng),
    lambda rng: drawn("<w24>", rng),
    lambda rng: drawn("<w40>", rng),
    lambda rng: drawn("<b43>=", rng),
    lambda rng: drawn("<w12>-<w12>", rng),
    lambda rng: drawn("<h8>-<h4>-<h4>-<h4>-<h12>", rng),
)
_URL_SAFE: tuple[Callable[[random.Random], str], ...] = (
    lambda rng: drawn("<w16>", rng),
    lambda rng: f"{_word(rng)}{rng.randint(10, 9999)}",
    lambda rng: f"{_word(rng).capitalize()}%40{rng.randint(10, 99)}!",
    _word,
)


def _jwt(rng: random.Random) -> str:
    parts = (
        {"alg": "HS256", "typ": "JWT"},
        {"sub": drawn("<w8>", rng), "iat": rng.randrange(10**9)},
    )
    head = [base64.urlsafe_b64encode(json.dumps(p).encode()).decode().rstrip("=") for p in parts]
    return ".".join((*head, drawn("<w43>", rng)))


def _basic(rng: random.Random) -> str:
    return base64.b64encode(f"{_word(rng)}:{_random_password(rng)}".encode()).decode()


def _private_key(rng: random.Random) -> str:
    kind = rng.choice(("RSA ", "EC ", "OPENSSH ", "", "ENCRYPTED "))
    body = "\n".join(drawn("<b64>", rng) for _ in range(rng.randint(3, 25)))
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{body}\n-----END {kind}PRIVATE KEY-----"


def _card(rng: random.Random) -> str:
    """A Visa, Mastercard or American Express number with its check digit (ISO/IEC 7812)."""
    prefix, size = rng.choice((("4", 16), ("51", 16), ("37", 15)))
    digits = prefix + "".join(rng.choices(string.digits, k=size - len(prefix) - 1))
    doubled = [int(d) * 2 if i % 2 == 0 else int(d) for i, d in enumerate(reversed(digits))]
    digits += str(-sum(d - 9 * (d > 9) for d in doubled) % 10)
    grouped = " ".join(re.findall(r"\d{1,4}", digits))
    return rng.choice((digits, grouped)) if size == 16 else digits


def _iban(rng: random.Random) -> str:
    body = "".join(rng.choices(string.digits, k=18))
    check = 98 - int(f"{body}131400") % 97
    iban = f"DE{check:02}{body}"
    return rng.choice((iban, " ".join(re.findall(r".{1,4}", iban))))


_PERSONAL: dict[str, Callable[[random.Random], str]] = {
    "email": lambda rng: (
        f"{_word(rng)}.{_word(rng)}{rng.randint(1, 99)}@{_word(rng)}."
        + rng.choice(("com", "io", "co.uk"))
    ),
    "phone": lambda rng: rng.choice(
        (drawn("+49 30 <d7>", rng), f"({rng.randint(201, 989)}) 555-{rng.randint(1000, 9999)}",
         f"+1 {rng.randint(201, 989)}-555-{rng.randint(1000, 9999)}", drawn("0171 <d7>", rng))
    ),
    "card": _card,
    "iban": _iban,
    "ssn": lambda rng: f"{rng.randint(101, 665)}-{rng.randint(10, 99)}-{rng.randint(1000, 9999)}",
    "ip-address": lambda rng: rng.choice(
        (".".join(str(rng.randint(11, 220)) for _ in range(4)),
         drawn("2001:db8:<h4>:<h4>::<h3>1", rng))
    ),
    "passport": lambda rng: rng.choice((drawn("C<d8>", rng), drawn("<d9>", rng))),
}  # fmt: skip
