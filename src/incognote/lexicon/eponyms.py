"""Is a name the name of a disease, a sign, an operation or a device here? One answer for whoever
finds names, looks for a known name again, or decides what a known name is in its place.

The list of eponyms says that a word may be such a thing; the words beside it say that it is one:
what is said of it ("Kawasaki was ruled out"), what it has ("Bell's palsy"), what it is a part of
("pouch of Douglas"), who has it ("diagnosed with Crohn's").
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from incognote.lexicon.lexicon import lexicon
from incognote.lexicon.verbs import DOES, HUMAN
from incognote.lexicon.words import Rank, is_among

# What is found, measured or done, behind the name of whoever described it.
FINDINGS = frozenset(
    """
    positive negative present absent noted elicited equivocal sign signs test tests maneuver
    manoeuvre disease syndrome phenomenon reflex triad lesion lesions deformity fracture fractures
    suspected excluded considered confirmed flare remission stage grade score criteria class type
    angina palsy tumor tumour ulcer node nodes spots abscess repair procedure operation reversal
    """.split()
)
# What a person may own, so that "X's pain" is no disease: people have pains, visits and charts.
_OWNED = FINDINGS | frozenset(
    """
    crisis contracture cyst cysts ligament gland glands esophagus oesophagus diverticulum pouch
    canal space line lines node body bodies chorea ataxia dementia gait anomaly malformation
    tetralogy fistula hernia duct fascia point triangle exercises catheter sarcoma lymphoma
    breathing respirations encephalopathy orbitopathy goiter goitre struma hump facies aphasia area
    paralysis
    purpura stain law formula equation scale index classification maneuvers nodules patches nevus
    pneumonia vasculitis solution lactate maneuver degeneration ring rings thyroid eye tic tics
    """.split()
)
_OF_MEDICINE = re.compile(
    r"[a-z]{3,}(?:itis|oma|osis|pathy|plasty|ectomy|otomy|ostomy|cele|uria|emia|algia|trophy|plegia)"
)
# What is done to diseases and operations, not to people: "X was ruled out".
_DONE_TO_THINGS = frozenset(
    """
    ruled excluded suspected considered performed planned reversed repaired resected dilated drained
    inserted replaced positive negative equivocal unremarkable normal present absent intact patent
    """.split()
)
_IS = frozenset("is are was were be been being both also again not now never remains".split())
# Before a disease: "probable X", "s/p X".
_BEFORE_DISEASE = frozenset(
    """
    probable possible suspected likely presumed severe mild moderate chronic recurrent classic
    modified bilateral advanced atypical secondary s/p r/o h/o hx incipient juvenile congenital
    """.split()
)
HAVING = frozenset("with has had have having".split())
_BEFORE_OF = frozenset(
    """
    history hx signs symptoms diagnosis dx features evidence criteria treatment screen screening
    suspicion form variant type case risk stigmata
    pouch circle sphincter ligament foramen space duct canal bundle loop island islands islets
    crypts angle line triangle tetralogy pentalogy plexus tubercle valve fossa fascia sinus zone
    ampulla sulcus aqueduct trigone artery vein nerve ganglion band bands glands
    """.split()
)
_BEFORE_WITH = frozenset("diagnosed consistent compatible dx'd suggestive".split())
_BEFORE_FOR = frozenset(
    "positive negative treated screened concern suspicious screen criteria".split()
)
_BEFORE = {"of": _BEFORE_OF, "with": _BEFORE_WITH, "for": _BEFORE_FOR}
# Who has a disease: "her Hashimoto's is stable".
_WHOSE = frozenset("her his their my your known".split()) | HAVING
# Behind a disease that is called by its name alone: "Addison's since 1998".
_GOES_ON = frozenset(
    """
    since in on for and or is was at after as but which that from without under diagnosed confirmed
    stable controlled uncontrolled flare flares flaring remission active quiescent well poorly
    """.split()
)
# Behind a disease: "Lynch in the family", "Hodgkin in remission", "Huntington runs in the family".
_WHERE_DISEASES_ARE = (
    ("in", "the", "family"), ("in", "remission"), ("in", "siblings"), ("in", "relatives"),
    ("in", "both", "parents"), ("runs", "in"), ("on", "biopsy"), ("on", "both", "sides"),
    ("without", "dysplasia"), ("with", "dysplasia"), ("on", "the", "differential"),
)  # fmt: skip
# "Lynch in the family meeting".
_NOT_OF_KIN = (("meeting",), ("room",), ("conference",), ("practice",), ("lounge",), ("business",))
# What is said of people, too: where somebody of the note is called so, it says nothing.
_OF_PEOPLE_TOO = frozenset(
    """
    excluded considered performed planned positive negative normal present absent intact replaced
    unremarkable treatment screen screening form variant type case risk treated concern suspicious
    severe mild moderate chronic advanced secondary classic modified
    """.split()
)
# Before such a name in Spanish: "signo de Murphy", "dren Kehr". The first are of no person; the
# second may be somebody's ("la operación de Ana"), and need a name that the list of eponyms has, if
# "de" is between.
_THINGS_ES = r"""signos?|maniobras?|test|escala|[ií]ndice|score|clasificaci[oó]n|criterios?
  |cuestionario
  |f[oó]rmula|ecuaci[oó]n|regla|s[ií]ndrome|sd|fen[oó]meno|dren(?:aje)?s?|clavos?|tornillos?|sondas?|cat[eé]ter
  |c[aá]nula|aguja|malla|f[eé]rula|stent|bal[oó]n|diu|incisi[oó]n|abordaje|[aá]ngulo|l[ií]nea|tri[aá]ngulo
  |espacio|fondo[ ]de[ ]saco|bolsa|ganglio|nervio|arteria|ligamento|conducto|tend[oó]n|reflejo
  |cociente|puntuaci[oó]n
  |puntaje|estadio|grado|protocolo|esquema|ritmo|respiraci[oó]n|facies|pinza|valva|separador|trocar|tr[oó]car
  |anastomosis|transferencia|plastia"""
_OWNED_ES = r"""enfermedad|mal|tumor|fractura|fx|lesi[oó]n|[uú]lcera|hernia|quistes?|par[aá]lisis
  |es[oó]fago|corea
  |prueba|operaci[oó]n|intervenci[oó]n|cirug[ií]a|t[eé]cnica|v[ií]a|pr[oó]tesis|implante|m[eé]todo|placa|lente|marcapasos
  |v[aá]lvula|equipo|estudio"""
_HEAD_ES = re.compile(
    rf"(?<!\w)(?:(?P<thing>{_THINGS_ES})|(?P<owned>{_OWNED_ES}))[ ](?P<of>(?:de|del|de[ ]la)[ ])?$",
    re.IGNORECASE | re.VERBOSE,
)
# What is said of a sign: "Blumberg negativo", "Giordano (-)".
_RESULT_ES = re.compile(
    r"[ ]{0,2}(?:\(?[+-]{1,3}\)?(?![\w-])|(?:neg|pos)(?:ativ[oa]s?|itiv[oa]s?|\b)|ausentes?\b"
    r"|presentes?\b|dudos[oa]\b|bilateral\b|grado\b|tipo\b|[IVX]{1,3}\b"
    r"|\d{1,3}(?![\d-]|[ ](?:a|años?|anos?|meses)\b))",
    re.IGNORECASE,
)
_WORDS_OF_NAME = re.compile(r"[^\W\d_]{2,}")
_RARE_ES = 2_000  # a name of fewer is rather that of a thing behind such a word
# More bear a name that may be a person's in brackets.
_BORNE_ES = 20_000
# So many words behind a name are asked.
REACH = 5

_POINTS = re.compile(r"\s+\d{1,2}(?:[./]\d+)?(?![\d-])")
_POSSESSIVE = re.compile(r"['’]s?(?![^\W\d_])")
_WORDS_BEFORE = re.compile(r"(?:^|[^\w/'’-])((?:[\w/'’-]+\s+){1,2})$")
_WORDS_BEHIND = re.compile(rf"(?:\s+[^\W\d_](?:[\w/'’-]*\w)?){{1,{REACH}}}")


@dataclass(frozen=True, slots=True)
class Beside:
    """The words beside a name, the nearest first, in lower case, as far as no mark is between.
    `has` says that something is the name's: "X's"."""

    before: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()
    has: bool = False


def is_said_of_thing(beside: Beside, unless: frozenset[str] = frozenset()) -> bool:
    """Whether the words around mean a disease, a part of the body or an operation; words of
    `unless` say nothing."""
    before, ahead = (*beside.before, "", "")[:2]
    if before in _BEFORE_DISEASE - unless:
        return True
    of = _BEFORE.get(before)
    if of is not None and ahead in of - unless:
        return True
    if not unless and any(
        beside.behind[: len(each)] == each and beside.behind[len(each) :][:1] not in _NOT_OF_KIN
        for each in _WHERE_DISEASES_ARE
    ):
        return True
    for at, word in enumerate(beside.behind[:REACH]):
        if word not in _IS:
            return at > 0 and word in _DONE_TO_THINGS - unless
    return False


def names_thing(text: str, start: int, end: int) -> bool:
    """Whether a name that a person of this text has names a thing here: "Bell's palsy",
    "Gleason 7", "has had Addison's since 1998"."""
    if names_thing_in_spanish(text, start, end):
        return True
    if not lexicon().is_eponym(text[start:end]):
        return False
    # A score has a digit or two, and is no telephone.
    if _POINTS.match(text, end):
        return True
    beside = _beside(text, start, end)
    following = beside.behind[0] if beside.behind else ""
    if beside.has:
        if following in _OWNED or _OF_MEDICINE.fullmatch(following):
            return True
        whose = not _WHOSE.isdisjoint(beside.before[:1])
        if whose and (not following or following in _GOES_ON):
            return True
    # "Young returns": nothing of Young's.
    elif following not in DOES and following not in HUMAN and is_term(following):
        return True
    return is_said_of_thing(beside, unless=_OF_PEOPLE_TOO)


def names_thing_in_spanish(text: str, start: int, end: int) -> bool:
    """Whether a name is that of a thing in the Spanish around it: "signo de Murphy", "dren Kehr",
    "Blumberg negativo", "(Kocher)". Names that hardly anybody bears need not be on the list."""
    lex = lexicon()
    words = _WORDS_OF_NAME.findall(text, start, end)
    if not words:
        return False
    listed = all(map(lex.is_eponym, words))
    bearers = max(
        max(lex.first_name_bearers(w) or 0, (lex.surname_bearers(w) or 0) // 4) for w in words
    )
    head = _HEAD_ES.search(text, max(0, start - 40), start)
    if head:
        rare = bearers < _RARE_ES
        return listed or (rare and (head["thing"] is not None or not head["of"]))
    if not listed or lex.origin("last", words[0]) == "hispanic":
        return False
    if _RESULT_ES.match(text, end):
        return True
    in_brackets = text[start - 1 : start] == "(" and text[end : end + 1] == ")"
    return in_brackets and bearers < _BORNE_ES


def _beside(text: str, start: int, end: int) -> Beside:
    before = _WORDS_BEFORE.search(text, max(0, start - 40), start)
    owns = _POSSESSIVE.match(text, end)
    behind = _WORDS_BEHIND.match(text, owns.end() if owns else end)
    return Beside(
        tuple(reversed(before[1].lower().split())) if before else (),
        tuple(behind[0].lower().split()) if behind else (),
        owns is not None,
    )


def is_term(word: str) -> bool:
    """A clinical word, also in the plural, that is not in everybody's mouth: no "left", "about"."""
    lex = lexicon()
    clinical = any(lex.is_clinical(word.removesuffix(end)) for end in ("", "s", "es"))
    return clinical and not is_among(word, Rank.CONSTANT)
