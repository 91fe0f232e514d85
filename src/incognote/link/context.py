"""What the words around a name word make of it: a place, a date, an ordinary word, or a person."""

from __future__ import annotations

import re

from incognote.core.text import calendar
from incognote.lexicon import lexicon
from incognote.lexicon.eponyms import is_term, names_thing
from incognote.lexicon.speech import tag
from incognote.lexicon.verbs import DOES, HUMAN, OF_PEOPLE
from incognote.lexicon.words import UNCUED, is_borne, may_be_no_name

_NAME_TAGS = frozenset({"NNP", "NNPS"})
_FINITE = frozenset({"VBD", "VBZ", "MD"})
_IN = r"in|at|near|outside|around|downtown|north|south|east|west|city|county|town|village"
_PLACE_BEFORE = re.compile(
    rf"\b(?:{_IN}|to|from|of|via|toward|towards|through|visit(?:ed|ing)?)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
# People are mentioned and talked to; nobody lives in them.
_INSIDE_BEFORE = re.compile(rf"\b(?:{_IN})\s+(?:the\s+)?$", re.IGNORECASE)
# The agent follows these words.
_AGENT_BEFORE = re.compile(r"\b(?:by|per)\s+$", re.IGNORECASE)
_VERBS = frozenset({"VBZ", "VBD", "VBG", "VBN", "MD"})
_PLACE_BEHIND = re.compile(
    r",?\s+(?:([A-Z]{2})\b(?:\s+\d{5})?|\d{5}\b)|\s+(?:County|City|Street|St\b|Ave|Road|Rd\b|Hospital|Clinic"
    r"|Medical|Center|Centre|Health|Regional|General|Memorial|University|College|School|Church|Park\b)"
)
_MONTH = (
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
    r"|winter|spring|summer|autumn|fall|\d+"
)
# Also the seasons: names of time that are names of people, too.
MONTHS = frozenset(map(str.lower, (*calendar.MONTHS, *calendar.SEASONS, "fall")))
_DATE_BEFORE = re.compile(
    r"\b(?:in|on|since|until|till|of|during|from|through|between|before|after|early|late|mid|mid-"
    r"|last|next|this|every|each|past|around|for|end|beginning|middle|due|exp)\s+(?:the\s+)?$"
    rf"|\b(?:{_MONTH})\s*(?:to|and|or|through|-|/|,)\s*$"
    r"|\d(?:st|nd|rd|th)?[\s/-]+(?:of\s+)?$|[/-]$",
    re.IGNORECASE,
)
_DATE_BEHIND = re.compile(r"\.?,?\s*(?:'?\d|of\s+(?:last|this|next|\d))|[/-]\w")
_TITLE_BEFORE = re.compile(
    r"\b(?:mr|mrs|ms|miss|mx|dr|drs|doctor|prof|nurse|sra?|srta|pt|patient)\.?\s*:?\s*$",
    re.IGNORECASE,
)
_SENTENCE_START = re.compile(
    r"(?:^|[:;!?\n•*>#|]|\s-|\b\d{4}\b|(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bSt)\.)[\s\"'(]*$"
)
_NEXT_WORD = re.compile(r"(?:['’]s)?\s+([^\W\d_]+|\d)")
_WORDS = re.compile(r"\w+(?:['’]\w+)?|[^\w\s]")
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)|\n")
_WILL_DO = re.compile(
    r" (?:to|will|would|can|could|cannot|did|should|must)(?: not)? (?:call|phone|come|attend|drive"
    r"|visit|speak|talk|discuss|see|arrange|contact|notify|sleep|eat|write|bring|meet|help|teach"
    r"|explain|ask|tell|sign|decide|interpret|translate|stay)\b(?! with)"
)
# Behind these appears who was spoken to.
_SPOKEN_TO = re.compile(
    r"\b(?:(?:phoned|called|paged|told|asked|visited|texted|emailed|reminded|taught|informed"
    r"|notified|thanked|updated|met|counseled)(?: in| to)?"
    r"|(?:spoke|spoken|talked|discussed|reviewed|met|d/w|s/w)(?: (?:with|to|w/))?"
    r"|(?:given|communicated|reported|relayed|routed?|explained|turned over|handed(?: off)?"
    r"|signed out|f/u) (?:to|with|w/))\s+$",
    re.IGNORECASE,
)
_WEATHER = frozenset("warm cold hot wet dry".split())
_IS_HOW = re.compile(r" (?:is|was|has been|had been|feels|felt) (?:not |more |very |now )?([a-z]+)")
# How only people are: "Innocent happy".
_MOODS = (
    "happy|unhappy|glad|sad|anxious|tearful|upset|angry|worried|pleased|relieved|frustrated|scared"
    "|supportive|hopeful|grateful|thankful|embarrassed|cheerful|talkative|asleep|crying|laughing"
)
_FEELS = re.compile(rf" (?:(?:is|was|very|so|quite|also|still) )*(?:{_MOODS})\b(?! of)")
# How only people are, and where: "Glass happy", "Lamb at bedside".
_IS_SO = re.compile(
    r" (?:(?:is|was|has been|remains|seem(?:s|ed)|appear(?:s|ed)|also|still|very|so|quite|more) )*"
    rf"(?:{_MOODS}|attentive|agreeable|amenable|reluctant|hesitant|awake|ambulatory|ambulating"
    r"|smiling|visiting|at (?:the )?bedside|at bs\b|at work|at school|in school"
    r"|in (?:the )?(?:lobby|waiting room)|on (?:the )?phone|on leave|off today|off duty)\b(?! of)"
    r"| (?:also|still|now) (?:febrile|afebrile|ill|sick|well|stable|positive|negative|coughing)\b"
    r"| (?:well|too)(?=[.,;])"
)
# What people do in notes and things rarely do. Words that are in everybody's mouth need it.
_SURELY_DID = (
    r"called|paged|phoned|texted|emailed|faxed|asked|asks|said|says|stated|told|gave|cosigned|spoke"
    r"|met|ok'd|okayed|agreed|agrees|refused|declined|drove|cooked|cried|laughed|smiled|joked"
    r"|scrubbed|interpreted|translated|taught|photographed|wants|wanted|knows|thinks|thought"
    r"|managing|arranging"
)
_ALSO_DID = (
    r"|ordered|ordering|helping|rounding|covering|signed|resumed|rounded|examined|consulted"
    r"|explained|helped|prefers|visited|notified|informed|updated|aware|to (?:call|see|text"
    r"|phone|page|tell|teach|drive|remove|sign|write|discuss|arrange)"
)
_OFTEN = r" (?:(?:has|had|will|also|then|again|now|later) )*"
_DID = re.compile(rf"{_OFTEN}(?:{_SURELY_DID}{_ALSO_DID})\b")
_DID_SURELY = re.compile(rf"{_OFTEN}(?:{_SURELY_DID})\b")
_TOLD = re.compile(r" (?:was |also )*(?:notified|informed|aware)\b")
_CALLED = (" (goes by ", " (aka ", " (a.k.a. ", " (called ", " (née ", " (nee ", " (prefers ")
_VERB_ENDS = re.compile(r" [a-z]{3,}(?:s|ed)[.;]")
_LANGUAGE_BEFORE = re.compile(
    r"\b(?:speak(?:s|ing)?|spoken|language[: ]|fluent in|in|understands|native|reads)\s+"
    r"(?:only\s+|mostly\s+|some\s+)?$",
    re.IGNORECASE,
)
_NATION_OF = re.compile(r"[ -](?:speak|interpret|language|descent|origin|catheter|foley|sized?\b)")
# A department, a form, a machine: "RAD-1".
_NUMBER_BEHIND = re.compile(r"-\d{1,2}(?![\w-])")
_BRACKET = re.compile(r" \([^()\n]{1,60}\)")
# Of these the tagger decides: "Wise to send glasses", "Banks to call".
_UNSURE = frozenset("to at by with for on in from about and also may can".split())


def is_place_here(text: str, start: int, end: int, *, inside: bool = False) -> bool:
    """Whether the context suggests a place or an institution; with `inside`, only words that
    never come before people."""
    before = _INSIDE_BEFORE if inside else _PLACE_BEFORE
    if before.search(text, max(0, start - 24), start):
        return True
    behind = _PLACE_BEHIND.match(text, end)
    # "RR 44" is no state.
    return behind is not None and (not behind[1] or lexicon().state(behind[1]) is not None)


def is_agent(text: str, start: int) -> bool:
    """Whether the words before say that a person did something: "done by Castle"."""
    return _AGENT_BEFORE.search(text, max(0, start - 8), start) is not None


def acts_as_human(text: str, end: int, *, surely: bool = False) -> bool:
    """Whether what follows is what only people do; `surely`, what no thing named after somebody
    does either."""
    if bracket := _BRACKET.match(text, end):
        if bracket[0].startswith(_CALLED):
            return True
        end = bracket.end()
    if _WILL_DO.match(text, end) or text.startswith(" c/o", end):
        return True
    if not surely and text.startswith((" d/c'd", " s/p", " endorses"), end):
        return True
    following = _NEXT_WORD.match(text, end)
    return following is not None and following[1].lower() in (OF_PEOPLE if surely else HUMAN)


def is_state_described(text: str, end: int) -> bool:
    """Whether what follows says how or where a person is: "Glass happy", "Lamb at bedside"."""
    return _IS_SO.match(text, end) is not None


def is_told(text: str, end: int) -> bool:
    """Whether the next words say that somebody was informed: "Little notified"."""
    return _TOLD.match(text, end) is not None


def feels(text: str, end: int) -> bool:
    """Whether it is said how somebody feels."""
    return _FEELS.match(text, end) is not None


def does_work(text: str, end: int, *, surely: bool = False) -> bool:
    """Whether a verb of what people do in notes follows: "Wood ordered"; `surely`, of what nothing
    else does: "Page called"."""
    return (_DID_SURELY if surely else _DID).match(text, end) is not None


def is_spoken_to(text: str, start: int) -> bool:
    """Whether the words before say that a person is spoken to: "phoned June", "d/w Field"."""
    return _SPOKEN_TO.search(text, max(0, start - 24), start) is not None


def is_date_here(text: str, start: int, end: int) -> bool:
    """Whether the context suggests a month, a season or a feast."""
    return bool(
        _DATE_BEFORE.search(text, max(0, start - 24), start) or _DATE_BEHIND.match(text, end)
    )


def is_followed_as_date(text: str, end: int) -> bool:
    """Whether what follows makes a date of a month: "June 3", "May of last year"."""
    return _DATE_BEHIND.match(text, end) is not None


def is_described(text: str, end: int) -> bool:
    """Whether what follows says how a person is: "was lightheaded", "is doing well"."""
    following = _IS_HOW.match(text, end)
    if following is None or following[1] in _WEATHER:
        return False
    return following[1].endswith(("ed", "ing")) or is_term(following[1])


def is_titled(text: str, start: int) -> bool:
    return _TITLE_BEFORE.search(text, max(0, start - 12), start) is not None


def starts_sentence(text: str, start: int) -> bool:
    return _SENTENCE_START.search(text, max(0, start - 8), start) is not None


def harmless_use(text: str, start: int, end: int, *, both_cases: bool) -> str:
    """Why a known name word is something else here; "" where nothing says so.

    Only the context of the place itself counts, never what a list says of the word alone.
    """
    word = text[start:end]
    if is_titled(text, start):
        return ""
    if names_thing(text, start, end):
        return "eponym"
    if word in lexicon().nationalities or word.lower() in lexicon().nationalities:
        spoken = _LANGUAGE_BEFORE.search(text, max(0, start - 24), start)
        if spoken or _NATION_OF.match(text, end):
            return "language"
    if not may_be_no_name(word):
        return ""
    if word.islower() and both_cases:
        return "lower-case"
    if not both_cases:
        return "" if acts(text, start, end, tagger=False) else "one-case"
    if word.isupper() and len(word) <= 4 and lexicon().is_abbreviation(word):
        return "abbreviation"
    if word.isupper() and len(word) <= 4 and _NUMBER_BEHIND.match(text, end):
        return "code"
    if word.isupper() and len(word) > 1 and _in_capitals(text, start, end):
        return "heading"
    if starts_sentence(text, start):
        return "" if acts(text, start, end) else "sentence-start"
    return ""


def acts(text: str, start: int, end: int, *, tagger: bool = True) -> bool:
    """Whether what follows a known name is what a person does: "Banks called", no "Black stool"."""
    following = _NEXT_WORD.match(text, end)
    if following is None or text[end : end + 2] in ("'s", "’s"):
        # "Seen by: Banks." A word alone says nothing against a name.
        return True
    word = following[1].lower()
    if (word in DOES and word not in _UNSURE) or word in HUMAN:
        return True
    if _VERB_ENDS.match(text, end) and not is_term(word):  # "Field renews."
        return True
    if not tagger:
        return False
    # What people do is written small; words in capitals are a title: "Primary Care Provider".
    if following[1].istitle() and may_be_no_name(word) and not is_borne(word, UNCUED):
        return False
    own, after = tags_of(text, start, end)
    if after in _VERBS or (word.endswith("ing") and after != "JJ"):
        return True
    if _verb_follows(text, end):
        return True
    if own in _NAME_TAGS:
        return after != "NN"
    # A noun before a preposition or an adjective is a subject: "Hunter at the mine".
    return own == "NN" and after in ("IN", "RB", "JJ", "-LRB-")


def _verb_follows(text: str, end: int) -> bool:
    """Whether the next word is a verb if a name comes before it: "Page left", but "Black stool".
    The word itself is not asked: as an adjective it would make a noun of what follows."""
    stop = _SENTENCE_END.search(text, end)
    sentence = text[end : min(stop.start() if stop else len(text), end + 120)]
    words = _WORDS.findall(sentence)
    return bool(words) and words[0].islower() and tag(["Smith", *words])[1] in _FINITE


def tags_of(text: str, start: int, end: int) -> tuple[str, str]:
    """The parts of speech of a word that begins a sentence, and of the next one."""
    stop = _SENTENCE_END.search(text, end)
    sentence = text[start : min(stop.start() if stop else len(text), start + 120)]
    own, after = [*tag(_WORDS.findall(sentence)), "", ""][:2]
    return own, after


def _in_capitals(text: str, start: int, end: int) -> bool:
    """Whether the neighbours are written in capitals, too: a heading, not a name."""
    before = re.search(r"([^\W\d_]{2,})\W{1,2}$", text[max(0, start - 24) : start])
    behind = re.match(r"\W{1,2}([^\W\d_]{2,})", text[end : end + 24])
    beside = [match[1] for match in (before, behind) if match]
    return bool(beside) and all(word.isupper() and may_be_no_name(word) for word in beside)
