"""Who a Spanish note says somebody is: care staff or the patient's own people, by the word right
beside the name. A model that learned few of these words takes most people for patients."""

from __future__ import annotations

import re
from typing import Literal

from incognote.core.types import Span

Role = Literal["", "DOCTOR", "PATIENT"]

_STAFF = r"""dr[ae]s|dras?|doctor(?:as|es|a)|obst(?:etra)?|kl?g[oa]|kinesi[oó]log[oa]|enf
  |enfermer[oa]s?|matr[oó]na?s?
  |celadora?|auxiliar|tcae|tens|anestesista|cirujan[oa]|instrumentista|fisioterapeuta|fisio|pediatra|psiquiatra
  |internista|geriatra|m[eé]dic[oa]|[a-z]{4,16}[oó]log[oa]|farmac[eé]utic[oa]|nutricionista
  |trabajadora?[ ]social
  |terapeuta(?:[ ]ocupacional)?|int[eé]rprete|param[eé]dic[oa]|camiller[oa]|promotora?
  |agente[ ]sanitari[oa]|ginec[oó]log[oa]
  |capell[aá]n|logopeda|odont[oó]log[oa]"""
_KIN = r"""hij[oa]s?|hijit[oa]|marido|espos[oa]|mujer|madre|padre|mam[aá]|pap[aá]|herman[oa]s?
  |abuel[oa]s?|t[ií][oa]s?
  |sobrin[oa]s?|niet[oa]s?|prim[oa]s?|cu[nñ]ad[oa]s?|suegr[oa]s?|yerno|nuera|pareja|novi[oa]|vecin[oa]s?|amig[oa]s?
  |cuidadora?|compa[nñ]er[oa]|ex-?(?:mujer|marido)|viud[oa]"""
_TITLE = r"(?:(?:sra?|srta|don|do[nñ]a|d)\.?[ ]+)?"
_STAFF_BEFORE = re.compile(
    rf"(?<!\w)(?:(?:{_STAFF})\.?|(?-i:R[1-5]|MIR|EIR|DUE)):?[ ]{{1,2}}{_TITLE}$",
    re.IGNORECASE | re.VERBOSE,
)
_KIN_BEFORE = re.compile(
    rf"(?<!\w)(?:{_KIN})(?:,?[ ]|[ ]\(|:[ ])(?:se[ ]llama[ ])?{_TITLE}$", re.IGNORECASE | re.VERBOSE
)
_STAFF_BEHIND = re.compile(
    r"""[ ]?[,(][ ]?(?:enf(?:ermer[oa])?|due|mir|(?-i:R[1-5]|TO|TS)|tcae|auxiliar|matr[oó]na?
    |fisio|psq
    |psiquiatra|pediatra|m[eé]dic[oa]|trabajadora?[ ]social|gestora[ ]de[ ]casos|int[eé]rprete
    |capell[aá]n
    |neumo|onco|cardio|digestivo|nefro|uro|trauma|cot|cto|anest|rehab|hemato|gine|derma|neuro|orl|endocrino
    |reuma|radio|cirug[ií]a|[a-z]{4,14}log[ií]a
    |[1-3][.ºª]*(?:er)?[ ]cirujan[oa])\.?[ ]?(?=[).,;:/\n]|\Z)""",
    re.IGNORECASE | re.VERBOSE,
)
_KIN_BEHIND = re.compile(
    rf"[ ]?[,(][ ]?(?:su[ ])?(?:{_KIN})(?=[).,;:\n]|\Z)", re.IGNORECASE | re.VERBOSE
)
# "las Dras. Coya y Lema": what is said of the first is said of all.
_AND = re.compile(r"(?:,|,? [ye])[ ]+")
_REACH = 40


def roles_in(text: str, names: list[Span]) -> dict[int, Role]:
    """The role of each name, by where it starts; "" where nothing beside it says one."""
    found: dict[int, Role] = {}
    last: Span | None = None
    for span in names:
        role = _beside(text, span)
        if not role and last is not None and found[last.start] == "DOCTOR":
            listed = _AND.fullmatch(text, last.end, span.start)
            role = "DOCTOR" if listed and _is_plural(text, last) else ""
        found[span.start] = role
        last = span
    return found


def _beside(text: str, span: Span) -> Role:
    before = text[max(0, span.start - _REACH) : span.start]
    if _KIN_BEFORE.search(before):
        return "PATIENT"
    if _STAFF_BEFORE.search(before):
        return "DOCTOR"
    if _STAFF_BEHIND.match(text, span.end):
        return "DOCTOR"
    return "PATIENT" if _KIN_BEHIND.match(text, span.end) else ""


_PLURAL = re.compile(r"(?<!\w)(?:dr[ae]s\.?|doctor[ae]s)[ ]", re.IGNORECASE)


def _is_plural(text: str, last: Span) -> bool:
    """Whether a plural title is before the list that ends in `last`."""
    return _PLURAL.search(text, max(0, last.start - _REACH), last.start) is not None
