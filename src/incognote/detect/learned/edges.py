"""Where a find of a model starts and stops, after the annotation guide: without stray marks,
titles, credentials, and the small words that lead to it."""

from __future__ import annotations

import re

from incognote.lexicon import lexicon

# Titles before a name and credentials after it stay outside.
_TITLE = re.compile(
    r"(?:(?:dra?|mr|mrs|ms|miss|prof|sra?|srta|fr|rev|hon|pt|patient|nurse|doctora?)\b\.?\s*)+",
    re.IGNORECASE,
)
_CREDENTIAL = re.compile(
    r"[\s,(]*\b(?:m\.?d|d\.?o|r\.?n|np|lpn|lvn|pa-?c|ph\.?d|pharm\.?d|mph|mba|msw|lcsw|cna|crna|"
    r"aprn|fnp|facs|facc|dds|dmd|rph|cnm|bsn|msn|pgy-?\d|pt|ot|slp)\b\.?\)?\s*$",
    re.IGNORECASE,
)
_POSSESSIVE = re.compile(r"['’`]s?$", re.IGNORECASE)
_EDGE_BEFORE = " \t\r\n,;:.)]}-–—/*|\"'=_"
_EDGE_AFTER = " \t\r\n,;:([{-–—/*|\"'=_#"

# Spanish, which the view has stripped of its accents. In English some of these are names ("Don").
SPANISH = "es"
_TITLE_ES = re.compile(
    r"""(?:(?:
      d(?=\.|ª|na\.)|dna|don|dona|dr(?:es|as?)?|doctor(?:as|es|a)?|sr(?:es|as?|ta)?|senor(?:es|as|a|ita)?
    | lic(?:da|do)?|licenciad[oa]|prof[ea]?|profesora?|mtr[oa]|ing|arq|kl?g[oa]|md|dir
    |director(?:es|a)?
    | enf(?:erm[oa]|ermer[oa]s?)?|obst(?:etra)?|matron[ao]|celadora?|auxiliar|due|tcae|mir|eu|tens
    | jef[ae]|secretari[oa]|cbop?|cabo|sgto|sor|fray|hna
    | hij[oa]|hijit[oa]|marido|espos[oa]|hermanit?[oa]|abuelit?[oa]|ti[oa]|sobrin[oa]|niet[oa]
    |prim[oa]
    | cunad[oa]|sueg(?:ro|ra)|suegr[oa]|padre|madre|mama|papa|pareja|vecin[oa]|cuidadora?|nin[oa]
    | amig[oa]|paciente|pcte|pte|usuari[oa]|residente|familiar
    )\b\.?[ ]*)+""",
    re.IGNORECASE | re.VERBOSE,
)
# What a name is never only: whoever is spoken to, or a title by itself.
_NOBODY_ES = re.compile(r"(?:uds?|usted(?:es)?|ama|yaya|aita)\.?", re.IGNORECASE)
_LEADS_ES = re.compile(r"(?:(?:del?|en|al?|con|por|para|y|e|desde|hasta|que|se|su)[ ]+)+")
_TRAILS_ES = re.compile(r"(?:[ ]+(?:del?|en|al?|con|por|para|y|e|o|que|se|su|la|el|los|las))+$")
_SMALL_ES = re.compile(r"(?:del?|en|al?|con|por|para|y|e|o|que|se|su|sus|la|el|los|las|un|una)")
# "Ced. Prof. 8847123": the field of a number is not a part of it.
_FIELD_ES = re.compile(
    r"(?:(?:ced(?:ula)?|prof(?:esional)?|esp|mat|reg|registro|nro|num|no|lote"
    r"|folio|exp)\b\.?[ :]{0,2})+(?=[A-Z-]{0,3}\d{3})",
    re.IGNORECASE,
)
# Said aloud in dictation: "Dr. Soler punto evolucion favorable coma".
_MARK_ES = re.compile(
    r"[ ]*\b(?:punto(?: y (?:aparte|seguido|coma)| aparte| final)?|coma)\b[ ]*", re.IGNORECASE
)
_MARKS_SAID = 3
# The unit of an age that begins or goes on behind what was found: "58 |anos", "4 |a".
_UNIT_OF_AGE_ES = re.compile(
    r"[ ]?(?:anos?|meses|mes|semanas|[am](?![ ](?:las?|los|\d)))(?![^\W_])(?!/)"
)


def trimmed(text: str, start: int, end: int, *, name: bool) -> tuple[int, int]:
    """Without stray marks at the edges; for names also without titles and credentials."""
    while start < end and text[start] in _EDGE_BEFORE:
        start += 1
    while start < end and text[end - 1] in _EDGE_AFTER:
        end -= 1
    if not name or start >= end:
        return start, end
    if (title := _TITLE.match(text, start, end)) and title.end() < end:
        start = title.end()
    surface = text[start:end]
    for pattern in (_CREDENTIAL, _POSSESSIVE):
        if (match := pattern.search(surface)) and match.start() > 1 and not _is_name(match[0]):
            surface = surface[: match.start()]
    surface = surface.rstrip(_EDGE_AFTER)
    # "brother Lou CABG at 55": behind a name in small letters, capitals with a meaning.
    head, _, tail = surface.rpartition(" ")
    if len(tail) > 2 and lexicon().is_abbreviation(tail) and not head.isupper():
        surface = head.rstrip(_EDGE_AFTER) or surface
    return start, start + len(surface)


def _is_name(credential: str) -> bool:
    """A full name is "Kim Do"; "Kim DO", "Kim, Do" and "kim do" may have a degree."""
    return credential.strip(" ,().").istitle() and "," not in credential


def _is_dictated(text: str) -> bool:
    return len(_MARK_ES.findall(text)) >= _MARKS_SAID


def trimmed_spanish(text: str, start: int, end: int, label: str) -> tuple[int, int]:
    """A find in a Spanish text without the words that lead to it; empty where nothing is left."""
    if label == "AGE":
        unit = _UNIT_OF_AGE_ES.match(text, end) if text[end - 1 : end].isdigit() else None
        return start, unit.end() if unit else end
    if field := _FIELD_ES.match(text, start, end):
        start = field.end()
    if (mark := _MARK_ES.search(text, start, end)) and _is_dictated(text):
        start, end = (start, mark.start()) if mark.start() > start else (mark.end(), end)
    if lead := _LEADS_ES.match(text, start, end):
        start = lead.end()
    if trail := _TRAILS_ES.search(text, start, end):
        end = trail.start()
    if label in ("PATIENT", "DOCTOR"):
        if title := _TITLE_ES.match(text, start, end):
            start = title.end()
        if _NOBODY_ES.fullmatch(text, start, end):
            return start, start
    if _SMALL_ES.fullmatch(text, start, end):
        return start, start
    while start < end and text[start] in _EDGE_BEFORE:
        start += 1
    return start, end
