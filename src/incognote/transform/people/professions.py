"""Jobs: another job with the same exposure, said in the same way.

What somebody was exposed to at work is medicine: a miner stays a miner of sorts (data/jobs.toml).
"""

from __future__ import annotations

import re

from incognote.core.caches import cached, once
from incognote.lexicon import lexicon
from incognote.transform.people.spanish_jobs import spanish_job
from incognote.transform.pools import from_pool
from incognote.transform.record import Mention, TransformRecord
from incognote.transform.spelling import fold
from incognote.transform.word_data import table_of

_LIGHT = frozenset("and at employed for former full part retired self the time with".split())
_LIGHT |= {"work", "worked", "worker", "working", "works"}
_ENDING = re.compile(r"(?:ing|ers?|ors?|ed|ove|ive|s)$")
_ARTICLE = re.compile(r"\b(an?)\s+$", re.IGNORECASE)
_LONG = 5
_SHORTEST = 4
_WHO = frozenset({"man", "men", "woman", "women", "worker", "hand", "person"})
_ENOUGH = 6
# What people do, said with a verb: "packs tuna", "milked forty Jerseys".
_DOING = re.compile(r"[a-z]{3,}?(s|ed|ing)(?=\s|$)", re.IGNORECASE)
_AS = {"s": "works as", "ed": "worked as", "ing": "working as"}
_WHERE = frozenset({"at", "for", "in"})
_ARTICLES = frozenset({"a", "an", "the", "for", "at", "in", "on", "off", "with"})


@once
def job_classes() -> dict[str, tuple[str, ...]]:
    """Class of exposure -> jobs, in a fixed order."""
    table: dict[str, str] = table_of("jobs")
    return {
        name: tuple(job.strip() for job in jobs.split(","))
        for name, jobs in table.items()
        if not name.startswith("words_") and name != "kinds"
    }


@cached(4)
def _kinds(vowel: bool | None) -> tuple[str, ...]:
    """Those that "an" goes with, or "a", or all."""
    kinds = (kind.strip() for kind in table_of("jobs")["kinds"].split(","))
    return tuple(kind for kind in kinds if vowel in (None, kind[0] in "aeiou"))


@cached(4096)
def exposure(folded: str) -> str:
    """The class of a job: where it is listed, or the first that has one of its words, or "desk"."""
    for name, jobs in job_classes().items():
        if folded in jobs:
            return name
    words = set(re.findall(r"[a-z]+", folded))
    for name in job_classes():
        for known in table_of("jobs")[f"words_{name}"].split():
            plural = f"{known}s" in words
            if known in words or plural or (len(known) >= _LONG and _part_of(known, words)):
                return name
    return "desk"


def _part_of(known: str, words: set[str]) -> bool:
    """The miner of "coalminers" and the cattle of "cattlemen", but not the miner of "examiner"."""
    for word in words:
        first, found, rest = word.removesuffix("s").partition(known)
        if found and (rest in _WHO if not first else not rest and _is_word(first)):
            return True
    return False


def _is_word(text: str) -> bool:
    return len(text) >= _SHORTEST and lexicon().word_rank(text) is not None


def profession(mention: Mention, record: TransformRecord) -> str:
    """Another job of the same exposure, in the same case and number."""
    text = mention.text
    if record.is_spanish:
        return record.chose(spanish_job(text, record))
    folded = fold(text)
    doing = _doing(folded)
    plural = folded.endswith("s") and folded[:-1] in lexicon().professions
    name = exposure(folded)
    every = job_classes()[name]
    alike = tuple(job for job in every if (" " in job) == (" " in folded))
    jobs = alike if len(alike) >= _ENOUGH else every
    single = folded.removesuffix("s") if plural else folded
    article = _ARTICLE.search(record.text[max(mention.start - 4, 0) : mention.start])
    vowel = article[1].lower() == "an" if article else None
    own = from_pool("profession", single, record)
    if own is not None:
        new, jobs = own, (own,)
    elif single in jobs:
        new = jobs[record.scope.permuted(f"jobs:{name}:{len(jobs)}", len(jobs), jobs.index(single))]
    else:
        # One person has one job, however it is said: "bus driver", "drove a bus".
        new = record.scope.draws.pick(jobs, "PROFESSION", _trade(single))
        # A corpus names more jobs than any list: how they are said keeps them apart.
        if record.corpus is not None:
            kind = record.scope.draws.pick(_kinds(vowel), "KIND OF JOB", single)
            new, jobs = f"{kind} {new}", tuple(f"{kind} {job}" for job in jobs)
    if doing:
        new = f"{doing} {'an' if new[0] in 'aeiou' else 'a'} {new}"
    elif plural:
        new += "s"
    elif vowel is not None:
        new = _fitting(new, jobs, vowel=vowel)
    if text.isupper() and len(text) > 4:  # "CPA" appears in any text
        new = new.upper()
    elif text[:1].isupper() and not text.isupper():
        new = new.capitalize()
    return record.chose(new)


def _fitting(job: str, jobs: tuple[str, ...], *, vowel: bool) -> str:
    """The job, or the next of its class that "a" or "an" goes with."""
    at = jobs.index(job)
    following = (*jobs[at:], *jobs[:at])
    return next((each for each in following if (each[0] in "aeiou") == vowel), job)


def _trade(folded: str) -> str:
    """What the ways to name a job share: the first of its words, without their endings."""
    words = [word for word in re.findall(r"[a-z]{3,}", folded) if word not in _LIGHT]
    return min((_ENDING.sub("", word) for word in words), default=folded)


def _doing(folded: str) -> str:
    """How a job is said that the original says with a verb; "" for a noun."""
    verb = _DOING.match(folded)
    words = folded.split()
    # A seamstress is no verb.
    if verb is None or "ss" in verb[0][-2:]:
        return ""
    if verb[0].removesuffix("s") in lexicon().professions:  # "cooks at the senior center"
        return _AS["s"] if len(words) > 1 and words[1] in _WHERE else ""
    # "sales manager" ends in a word for a job, "drives a coach" as well.
    last = words[-1].removesuffix("s")
    noun = last in lexicon().profession_heads or last in lexicon().professions
    if noun and (len(words) == 1 or words[1] not in _ARTICLES):
        return ""
    return _AS[verb[1]]
