"""The word lists that the local judge's explicit features look things up in.

English only: a text in another script simply has none of these cues, and the vectors decide.
Every list holds lower-case surface forms. What speaks of change: :mod:`.features_change`.
"""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """The words of a text, as a set to look things up in."""
    return frozenset(text.split())


STOP = word_set(
    "a an the this that these those of in on at to for from by with into onto about as and or"
    " but if then than so is are was were be been being am do does did have has had having it"
    " its i me my mine we us our ours you your yours he him his she her hers they them their"
    " theirs who whom which what when where why how there here will would can could shall should"
    " may might must just very really quite i'm i've i'd i'll it's we're we've we'll you're"
    " they're he's she's that's also too again still already yet some any each every one's up"
    " out off over own s t im someone somebody everyone everybody anyone"
)
"""Words without content of their own; kept out of lexical overlap."""
NEGATION = word_set(
    "not no never none nobody nothing neither nor without cannot can't don't doesn't didn't"
    " isn't aren't wasn't weren't won't wouldn't couldn't shouldn't haven't hasn't hadn't ain't"
    " dont doesnt isnt cant wont didnt hardly"
)
FIRST_PERSON = word_set(
    "i me my mine i'm i've i'd i'll im we us our ours we're we've we'll myself user user's"
)
SECOND_PERSON = word_set("you your yours you're you've please")
THIRD_PERSON = word_set("he she they his her their him them he's she's they're")
INDEFINITE = word_set(
    "a an some two three four several many one people someone somebody nobody there"
)
BE = word_set(
    "is are was were am be been isn't aren't wasn't weren't 's 're 'm it's he's she's i'm"
)
MONTHS = word_set(
    "january february march april june july august september october november december jan feb"
    " mar apr jun jul aug sep sept oct nov dec"
)
DAYS = word_set(
    "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays"
    " thursdays fridays saturdays sundays weekend tomorrow yesterday today tonight noon midnight"
    " morning evening afternoon spring summer autumn winter"
)
_TENS_AND_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    " fifteen sixteen seventeen eighteen nineteen twenty"
)
NUMERALS: dict[str, str] = {
    word: str(value) for value, word in enumerate(_TENS_AND_UNITS.split()) if value
} | {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "hundred": "100"}
"""Numbers in words."""
LIKE = word_set(
    "like likes love loves loved enjoy enjoys enjoyed prefer prefers preferred adore adores"
    " favourite favorite fan appreciate appreciates keen fond cherish cherishes fascinated"
    " fascinating captivated captivate captivates intriguing intrigue intrigues delight"
    " delightful delicious comforting thrilling exhilarating great wonderful amazing addicted"
    " craves crave into drawn"
)
DISLIKE = word_set(
    "dislike dislikes disliked hate hates hated loathe loathes detest detests avoid avoids"
    " despise despises unsettling annoying annoys boring bores uncomfortable disgusting awful"
    " terrible overwhelming stressful tedious gross unpleasant unbearable"
)
PREFERENCE = (
    LIKE
    | DISLIKE
    | word_set(
        "rather always never want wants preference preferences find finds instead comfort choice"
        " pick wish style tone format concise short metric"
    )
)
REASON = word_set(
    "because since due therefore reason as so helps help makes make allows provide provides"
)
DECISION = word_set(
    "decided decide decision chose chosen choose picked pick agreed agree settled opted"
    " approved rejected selected adopted standardise standardised standardize standardized"
    " concluded resolved committed voted going settle sticking drop dropped ruled"
)
PROJECT = word_set(
    "project milestone deadline todo sprint roadmap release scheduled progress planning plan"
    " plans goal beta launch phase prototype quarter budget status remaining blocked due"
    " upcoming halfway working finish started next pilot backlog epic"
)
SOLUTION = word_set(
    "fixed fix fixes solved solution resolved workaround cause caused because bug error crash"
    " crashed failed failing failure issue problem broke root patched cured helped avoid restart"
    " restarting reset reinstall worked trick"
)
ARCHITECTURE = word_set(
    "service services api gateway database schema queue layer module modules component"
    " components cache cluster frontend backend pipeline store stores event events architecture"
    " proxy replica shard sharded worker workers microservice monolith adapter middleware stream"
    " interface client server storage broker"
)
CHATTER = word_set(
    "ok okay thanks thank lol haha hello hi hey bye yes yeah yep no nope sure great cool nice"
    " wow sorry please hmm omg perfect awesome yay good morning night afternoon congrats cheers"
    " welcome ah oh aww ugh np brb lgtm ping bump thx kk nah"
)
TOOL_NOISE = word_set(
    "running run executing reading compiling searching opening checking loading fetching"
    " installing downloading retrying waiting passed failed exit code traceback warning saved"
    " applied command grep file tests test build succeeded completed let"
)
KIN = word_set(
    "mother father mom mum dad sister brother wife husband son daughter partner kids kid"
    " children grandma grandpa aunt uncle cousin family friend boyfriend girlfriend niece nephew"
    " parents baby dog cat pet boss colleague"
)
MEDICAL = word_set(
    "allergic allergy allergies diabetic insulin asthma epipen medication medicine penicillin"
    " peanuts celiac coeliac epileptic epilepsy blood doctor warfarin intolerant vegan"
    " vegetarian pregnant emergency heart dose anaphylaxis"
)
