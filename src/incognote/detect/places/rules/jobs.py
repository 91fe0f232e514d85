"""Jobs of people in the note: "retired plumber", "works as a line cook", "Occupation: farmer"."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.places.context import field, nearby, word_before
from incognote.detect.places.finding import CERTAIN, LIKELY, POSSIBLE, Finding
from incognote.detect.places.scan import BLANK, GLUED, LINE, Scan
from incognote.detect.places.words import (
    CAPITAL,
    CLINICAL,
    COUNTRY,
    DIGITS,
    JOB,
    JOB_CUE,
    PERSON,
    STOP,
    WORD,
    WORK,
    word_list,
)  # fmt: skip
from incognote.lexicon import lexicon

LABEL = "PROFESSION"
_LONGEST = 8  # tokens, hyphens counted
_KIN = frozenset(
    "father mother mom dad mum husband wife son daughter brother sister partner uncle aunt nephew"
    " niece cousin grandfather grandmother grandson neighbor neighbour fiance fiancee boyfriend"
    " girlfriend stepfather stepmother roommate".split()
)
_SOCIAL = frozenset("social soc sh shx".split())
_SUBJECTS = frozenset("old yo yr handed male female man woman gentleman veteran y o m f".split())
_PRONOUNS = frozenset("he she who i patient pt they".split())
_THEIRS = frozenset("his her their my".split())
_ORDINALS = frozenset(("st", "nd", "rd", "th"))
_VERBS = frozenset("is was been being be became become remains am m s".split())
_WORKED = frozenset(
    "works worked work working employed employment job career time served years".split()
)
_AFTER = frozenset(
    (",", ".", ";", ")", "at", "for", "with", "from", "in", "on", "and", "who", "until")
)


def find(scan: Scan, taken: bytearray) -> Iterator[Finding]:
    for at in scan.listed:
        bits = scan.bits[at]
        if not bits & (JOB | JOB_CUE | WORK) or taken[at]:
            continue
        if bits & WORK:
            found = _by_verb(scan, at)
        else:
            found = _by_head(scan, at) if bits & JOB else _by_cue(scan, at)
        if found and not any(taken[found.first : found.end]):
            yield found


def _by_head(scan: Scan, head: int) -> Finding | None:
    cased = scan.cased(head)
    after = head + 1
    if scan.lower(after) in ("'s", "’s") or (scan.lower(after) == "-" and scan.gap(after) == GLUED):
        return None
    named = after < len(scan) and scan.bits[after] & CAPITAL and scan.gap(after) == BLANK
    if cased and named:
        return None  # a job before a name is a title
    first = _reach_left(scan, head, cased)
    if first == head and scan.lower(head) in ("maker", "cooks", "nurses", "lead", "hands", "boss"):
        return None  # a job only with the word before it: "cabinet maker", "shift lead"
    if _announced(scan, first):
        return Finding(first, after, LABEL, "job-cue", CERTAIN)
    if cased and scan.bits[head] & CAPITAL:
        opens = first == head and _starts_sentence(scan, head) and scan.lower(after) in _AFTER
        if not opens or scan.bits[head] & PERSON:
            return None
    word = scan.lower(head)
    unclear = word_list("jobs", "unclear")
    if word not in unclear and word.removesuffix("s") not in unclear:
        return Finding(first, after, LABEL, "job", POSSIBLE)
    phrase = f"{scan.lower(head - 1)} {word}"
    if first < head and phrase in lexicon().professions and word not in word_list("jobs", "staff"):
        return Finding(first, after, LABEL, "job-phrase", POSSIBLE)
    if word in word_list("jobs", "civil") and scan.lower(first - 1) in _THEIRS:
        return Finding(first, after, LABEL, "job-of-theirs", LIKELY)
    if word not in word_list("jobs", "not_aside") and _aside(scan, first, after):
        return Finding(first, after, LABEL, "job-aside", LIKELY)
    return None


def _by_verb(scan: Scan, verb: int) -> Finding | None:
    """Jobs stated by what a person does: "drives a tour coach", "taught second grade"."""
    before = word_before(scan, verb)
    subject = scan.lower(before) if before >= 0 else ""
    if not (subject in _SUBJECTS or subject in _KIN or subject in _PRONOUNS):
        return None
    objects = scan.vocabulary.work[scan.lower(verb)]
    for at in range(verb + 1, min(verb + 6, len(scan))):
        if scan.gap(at) > BLANK or not scan.bits[at] & WORD or scan.lower(at) in _PRONOUNS:
            return None
        if scan.lower(at) in objects:
            return Finding(verb, at + 1, LABEL, "work", LIKELY)
    return None


def _by_cue(scan: Scan, cue: int) -> Finding | None:
    """A job that no list knows, behind "retired" or "Occupation:"."""
    word = scan.lower(cue)
    first = cue + 1
    is_field = word in word_list("jobs", "fields")
    if is_field:
        if scan.lower(first) != ":" or (scan.gap(cue) == BLANK and not scan.bits[cue] & CAPITAL):
            return None
        first += 1
    elif word == "as" and not (scan.lower(first) in ("a", "an") and scan.lower(cue - 1) in _WORKED):
        return None
    if scan.lower(first) in ("a", "an"):
        first += 1
    end = first
    stop = word_list("jobs", "stop_before")
    best = 0
    while end < len(scan) and end - first < _LONGEST and scan.gap(end) != LINE:
        bits = scan.bits[end]
        if scan.words[end] == "-" and scan.gap(end) == GLUED:
            end += 1
            continue
        if not bits & WORD or bits & (STOP | CLINICAL | PERSON) or scan.lower(end) in stop:
            break
        if bits & CAPITAL and scan.cased(end) and not is_field:
            break
        end += 1
        if _sounds_like_job(scan.lower(end - 1)):
            best = end
    return Finding(first, best, LABEL, "job-ending", LIKELY) if best else None


def _sounds_like_job(word: str) -> bool:
    if len(word) < 5 or word in word_list("jobs", "no_jobs"):
        return False
    return word.endswith(tuple(word_list("jobs", "endings")))


def _reach_left(scan: Scan, head: int, cased: bool) -> int:
    """What narrows the job down: "sugar beet" farmer, "tool-and-die" maker."""
    stop = word_list("jobs", "stop_before")
    first = head
    while first > 0 and head - first < _LONGEST:
        before = first - 1
        gap = scan.gap(first)
        bits = scan.bits[before]
        if scan.words[before] == "-" and gap == GLUED and scan.gap(before) == GLUED:
            first = before
            continue
        if scan.lower(before) in _ORDINALS and gap == BLANK and scan.bits[before - 1] & DIGITS:
            first = before - 1  # "4th grade teacher"
            break
        if not bits & WORD or bits & STOP or gap > BLANK or scan.lower(before) in stop:
            # "tool-and-die maker": hyphens hold even small words.
            if not (scan.words[first] == "-" and bits & WORD):
                break
        elif cased and bits & CAPITAL and not scan.bits[head] & CAPITAL:
            if _starts_sentence(scan, before):
                first = before  # "Farm worker, referred from"
            break
        first = before
    while scan.words[first] == "-":
        first += 1
    return first


def _starts_sentence(scan: Scan, at: int) -> bool:
    return scan.gap(at) == LINE or scan.words[at - 1] in (".", ":", ";")


def _announced(scan: Scan, first: int) -> bool:
    """Whether what comes before says that a job follows."""
    named = field(scan, first)
    if named in word_list("jobs", "fields") or named in _KIN or named in _SOCIAL:
        return True
    at = word_before(scan, first)
    if at < 0:
        return False
    word = scan.lower(at)
    if word in word_list("jobs", "before") or word in word_list("jobs", "fields"):
        return True
    if word in ("a", "an"):
        back = scan.lower(at - 1)
        if back == "as":  # "works as a cook", but "ultrasound as a guide"
            return nearby(scan, at, "work")
        is_stated = back in _VERBS or back in _KIN or back in word_list("jobs", "becoming")
        return is_stated or scan.words[at - 1] in (",", "(", "'s", "’s")
    if word == "and" and at == first - 1 and scan.bits[at - 1] & JOB:
        return True  # "retired farmer and township clerk"
    if word == "born" or (scan.bits[at] & COUNTRY and scan.lower(at - 1) in _SUBJECTS):
        return True  # "44-year-old Japanese engineer"
    return word in _SUBJECTS or word in _KIN or (word == "as" and nearby(scan, at, "work"))


def _aside(scan: Scan, first: int, end: int) -> bool:
    """Between marks, soon after a relative or an age: "Son Jason Zhou (24, paralegal)"."""
    if first == 0 or scan.words[first - 1] not in (",", "(", ";"):
        return False
    if end < len(scan) and scan.gap(end) != LINE and scan.lower(end) not in _AFTER:
        return False
    for back in range(first - 2, max(-1, first - 11), -1):
        if (
            scan.lower(back) in _KIN
            or scan.lower(back) in _SUBJECTS
            or (scan.bits[back] & DIGITS and len(scan.words[back]) == 2)
        ):
            return True
    return False
