"""Jobs: another job with as many words, said in the same way."""

from __future__ import annotations

import re
from functools import cache

from incognote.lexicon import lexicon
from incognote.transform.record import Mention, Record
from incognote.transform.spelling import fold

_WORKER = re.compile(r"(?:er|or|ist|ian|ant|eer|man|smith|wright|chef|clerk|cook)$")
# A patient does not become one of the care staff.
_CARE = re.compile(
    r"ologist|iatrist|physi|surg|nurs|therap|doctor|dent|medic|pharm|optom|midwi|anaes|anesth|"
    r"hygien|herbal|veterin|psych|chiro|osteo|phleb|radiog|acupunct|homeo|carer|health|hospital"
)
# What people do, said with a verb: "packs tuna", "milked forty Jerseys".
_DOING = re.compile(r"[a-z]{3,}?(s|ed|ing)(?=\s|$)", re.IGNORECASE)
_AS = {"s": "works as", "ed": "worked as", "ing": "working as"}
# Jobs that nobody has heard of ("eeler", "chicken chaser") would be looked at twice.
_RARE = 15_000
_ARTICLES = frozenset({"a", "an", "the", "for", "at", "in", "on", "off", "with"})


@cache
def _jobs(words: int, vowel: bool) -> tuple[str, ...]:
    """Jobs of so many words that begin with a vowel or not, so that "a" and "an" stay right;
    without those that would make a patient one of the care staff."""
    lex = lexicon()
    return tuple(
        job
        for job in sorted(lex.professions)
        if len(job.split()) == words
        and (job[0] in "aeiou") == vowel
        and re.fullmatch(r"[a-z -]+", job)
        and _WORKER.search(job)
        and not _CARE.search(job)
        and not job.startswith("works ")  # reads as a verb
        and not job.endswith("ess")  # "actress": the sex may be the wrong one
        and all(len(w) > 2 and (lex.word_rank(w) or _RARE) < _RARE for w in job.split())
        and not any(lex.is_clinical(word) or word in lex.countries for word in job.split())
    )


def profession(mention: Mention, record: Record) -> str:
    """Another job with as many words, in the same case and number."""
    text = mention.text
    folded = fold(text)
    doing = _doing(folded)
    jobs = _jobs(min(len(text.split()), 2), folded[0] in "aeiou")
    plural = folded.endswith("s") and folded[:-1] in lexicon().professions

    def make(attempt: int) -> str:
        return record.scope.draws.pick(jobs, "PROFESSION", folded, attempt)

    def taken(new: str) -> bool:
        return any(record.taken(word) for word in new.split())

    new = record.first_free("PROFESSION", make, taken) + ("s" if plural else "")
    if doing:
        new = f"{doing} {'an' if new[0] in 'aeiou' else 'a'} {new}"
    if text.isupper() and len(text) > 4:  # "CPA" stands in any text
        return new.upper()
    return new.capitalize() if text[:1].isupper() and not text.isupper() else new


def _doing(folded: str) -> str:
    """How a job is said that the original says with a verb; "" for a noun."""
    verb = _DOING.match(folded)
    words = folded.split()
    # A seamstress is no verb.
    if verb is None or "ss" in verb[0][-2:] or verb[0].removesuffix("s") in lexicon().professions:
        return ""
    # "sales manager" ends in a word for a job, "drives a coach" as well.
    noun = words[-1].removesuffix("s") in lexicon().profession_heads
    if noun and (len(words) == 1 or words[1] not in _ARTICLES):
        return ""
    return _AS[verb[1]]
