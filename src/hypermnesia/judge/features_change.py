"""Words about change, time and the number of values a statement may have.

Companion of :mod:`.features_words`, for the question whether one memory replaces another.
"""

from __future__ import annotations

from hypermnesia.judge.features_words import NEGATION, word_set


def _pairs(text: str) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(pair.split("/")) for pair in text.split())


CHANGE = word_set(
    "now instead switched switch switches switching moved moves moving changed changes change"
    " changing replaced replaces replacing renamed migrated migrates migrating became becomes"
    " become turned updated upgraded downgraded bumped raised lowered increased decreased"
    " reduced reassigned transferred rescheduled postponed shifted extended shortened swapped"
    " converted relocated promoted corrected correction actually revised reverted new currently"
    " anymore nowadays took over adopted dropped abandoned ditched left quit stopped retired"
    " cancelled canceled ended lately today again back resumed since rebranded rechristened"
    " retitled scaled ported rebuilt rewrote rewritten went stepped grew shrank fell rose pushed"
    " prolonged renewed exchanged"
)
"""Words that announce that something is different from what was."""
ENDING = word_set(
    "anymore stopped quit cancelled canceled ended dropped abandoned ditched retired"
    " discontinued scrapped shelved sold closed removed deprecated gone divorced broke resigned"
    " left off lost finished expired revoked disabled withdrawn called aborted"
)
ENDING_PHRASES = (
    "no longer",
    "any more",
    "not anymore",
    "used to",
    "gave up",
    "given up",
    "called off",
    "fell through",
    "broke up",
    "split up",
    "got rid",
    "grown out",
    "went off",
    "can't stand",
    "moved away",
    "moved out",
    "got over",
    "fed up",
    "lost interest",
    "turned down",
    "passed away",
    "is off",
    "pulled the plug",
)
PAST_PHRASES = (
    "used to",
    "in the past",
    "previously",
    "formerly",
    "back then",
    "at first",
    "originally",
    "as a child",
    "until recently",
    "once",
)
CHANGE_PHRASES = (
    *ENDING_PHRASES,
    "moved to",
    "moved from",
    "instead of",
    "rather than",
    "in favour of",
    "in favor of",
    "these days",
    "from now on",
    "as of",
    "changed my mind",
    "not any",
    "turns out",
    "went from",
    "took over",
    "goes by",
    "rolled back",
    "pushed to",
    "pushed back",
    "brought forward",
    "come to",
    "came around",
    "on second thought",
    "wait,",
    "scratch that",
    "not that",
    "new job",
)
ADDITION = word_set(
    "also too another additionally second third besides plus both additional moreover"
)
ADDITION_PHRASES = ("as well", "in addition", "on top of", "one more", "apart from")
COMPLETION = word_set(
    "finished completed complete done shipped launched deployed merged delivered released"
    " published submitted bought booked passed sent visited attended won built installed signed"
    " went made fixed renewed paid picked baked wrote written planted repaired graduated arrived"
)
PLAN = word_set(
    "plan plans planning planned will going todo need needs want wants should must intend"
    " intends hope hopes hoping next upcoming scheduled soon we'll i'll gonna aim aims remember"
    " remind due"
)
MULTI_VALUED = word_set(
    "like likes love loves enjoy enjoys own owns has have had visited visit visits speaks speak"
    " plays play knows know bought buy met read reads watched watch supports support includes"
    " include tried uses collect collects studied contains hobby hobbies interested attended ate"
    " made cooked saw wrote went fixed planted sings sing member exports accepts runs"
)
"""Verbs of which one subject may well have several objects at the same time."""
FUNCTIONAL = word_set(
    "name named called lives live living resides based address age old born birthday deadline"
    " due port version owner owned owns maintainer status salary price costs cost budget"
    " password email phone number capital ceo manager boss leads lead located location hosted"
    " employer works job title position married single height weight size colour color default"
    " branch limit timeout ttl scheduled starts start begins ends opens closes meets meeting"
    " date time at on level runtime primary main favourite favorite language license licence url"
    " host region id model plan rate rent timezone is are weighs expires assigned reports quota"
    " capacity"
)
"""Words that hint at an attribute with one value at a time."""
ANTONYMS: frozenset[frozenset[str]] = _pairs(
    "on/off open/closed open/close enabled/disabled enable/disable up/down hot/cold cold/warm"
    " big/small large/small long/short tall/short high/low early/late fast/slow full/empty"
    " happy/sad wet/dry public/private online/offline remote/onsite remote/office"
    " allowed/forbidden allowed/banned alive/dead single/married married/divorced vegan/omnivore"
    " morning/evening day/night asleep/awake inside/outside indoors/outdoors left/right"
    " first/last before/after start/stop starts/stops accept/reject accepted/rejected"
    " approved/rejected pass/fail passed/failed required/optional mandatory/optional sync/async"
    " synchronous/asynchronous true/false active/inactive buy/sell bought/sold win/lose won/lost"
    " arriving/leaving push/pull love/hate loves/hates like/dislike likes/dislikes enjoys/hates"
    " love/dislike likes/hates safe/dangerous clean/dirty new/old sitting/standing"
    " sitting/running standing/lying sleeping/running asleep/running weekly/monthly daily/weekly"
    " daily/monthly tabs/spaces dark/light black/white success/failure working/broken"
    " stable/unstable paid/free free/busy available/unavailable available/busy easy/hard"
    " strong/weak loud/quiet present/absent include/exclude includes/excludes increase/decrease"
    " increased/decreased raised/lowered everyone/nobody always/never all/none formal/informal"
    " formal/casual expensive/cheap far/near green/red vegetarian/carnivore finished/unfinished"
    " complete/incomplete done/pending pending/approved blocked/unblocked running/stopped"
    " started/finished full-time/part-time permanent/temporary manual/automatic"
)
"""Unordered pairs that cannot both hold of one thing."""
VERBS = word_set(
    "is are was were am be been has have had do does did will would can could must should may"
    " might won't can't cannot don't doesn't didn't isn't aren't wasn't weren't hasn't haven't"
    " i'm we're they're he's she's it's i've we've uses use used using lives live lived works"
    " work worked owns own owned runs run ran likes like loves love hates hate enjoys enjoy"
    " prefers prefer dislikes dislike adores adore wants want needs need plays play speaks speak"
    " drives drive eats eat drinks drink smokes smoke studies study reads read writes write"
    " wrote goes go went gone comes come came takes take took makes make made gets get got gives"
    " give gave keeps keep kept listens listen costs cost pays pay paid starts start begins"
    " begin ends end opens open closes close leads lead led maintains maintain manages manage"
    " reports report supports support requires require returns return stores store deploy"
    " deploys host hosts moved move switched switch changed change replaced replace renamed"
    " rename quit left leave leaves bought buy sold sell found find finds met meet meets saw see"
    " sees visited visit chose choose picked decided decide planned plan plans scheduled became"
    " become becomes turned stopped stop retired finished migrated teaches teach coaches coach"
    " expires expire belongs belong weighs weigh includes include contains contain covers cover"
    " adds add fixed fix fixes passes pass fails fail talks talk sends send tracks track believe"
    " believes think thinks know knows seats sings swims swim rides ride wears wear grew avoid"
    " avoids appreciate appreciates pin pins call calls ship ships depends depend serves serve"
    " sits handles handle consumes consume publishes publish collects attends attend respond"
    " answer relocated joined resigned died graduated broke handed swapped hired booked"
    " cancelled canceled"
)
"""Where the predicate of a plain statement begins."""
GENERIC_BEINGS = word_set(
    "man men woman women boy boys girl girls person people kid kids child children dog dogs cat"
    " cats baby lady someone somebody player players group crowd couple guy surfer biker cyclist"
    " animal bird men's one nobody"
)
"""Who acts in a description of a scene rather than in somebody's life."""
EPISODIC = word_set(
    "went saw met bought visited watched attended ate ran tried cooked baked fixed planted"
    " painted finished wrote read played took celebrated travelled traveled hiked made found got"
    " spent released covers added introduced joined shipped paid born been seen invited broke"
    " broken lost taught gave called interviewed donated ordered won scored evaluated trialled"
    " tested"
)
"""Single events: two of them can both have happened."""
ORDINAL_NOUNS = word_set(
    "number no case step chapter pr order flight ticket invoice issue item test task server"
    " room phase milestone sprint part page release version episode lesson section figure table"
    " line house flat unit player user customer client candidate option variant experiment run"
    " build commit cat dog box seat"
)
"""Nouns that a number after them identifies rather than measures."""
CONTRASTS = word_set(
    "staging production prod dev test testing junior senior first second third left right upper"
    " lower morning evening night day weekly monthly frontend backend client server summer"
    " winter spring autumn north south east west monday tuesday wednesday thursday friday"
    " saturday sunday start starts end ends opens closes upload download input output primary"
    " replica read write mother father son daughter brother sister mum dad wife husband red blue"
    " green black white web desktop mobile"
)
"""Qualifiers that tell two things of a kind apart when they stand in the subject."""
EXCLUSIVE = word_set(
    "prefer prefers preferred favourite favorite go-to main primary default rather best always"
    " only current currently official usual usually"
)
"""Words that say there is one choice."""
COMPARISON = word_set("prefer prefers over than rather instead from")
"""Words whose two sides cannot be swapped."""
CUES = (
    CHANGE
    | ENDING
    | ADDITION
    | NEGATION
    | word_set("now since date these days longer time still correction")
)
"""Words that speak about the change, not about the thing; left out of the core of a memory."""
