"""What the shipped models are trained on beside the corpus, made from public data sets.

    python tools/training_data.py DATA OUT

DATA holds the folders that docs/guides/training.md lists; OUT gets `extra.jsonl` (paragraphs
without PHI, eponyms in clinical phrases, names in minimal pairs, notes from templates),
`unlabelled.jsonl` (reports for a teacher to label), `pools/` (names and places that are written
over the annotated ones), and the same for Spanish: `spanish.jsonl` and `spanish_dev.jsonl`
(MEDDOCAN with our labels) and `spanish_pools/`. What DATA lacks is left out.
"""

from __future__ import annotations

import csv
import json
import random
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

from incognote.corpus import read_corpus
from incognote.corpus.labelmaps import label_map
from incognote.corpus.synth import synthesise, templates
from incognote.prepare.fold import fold

SEED = 7
FILLED = 2  # times that each masked report is filled, with other people
SYNTHETIC = 300  # notes from the templates that ship with incognote
# A paragraph with any of these may hold unmarked PHI, so it is no negative.
MAYBE_PHI = re.compile(
    r"year|yo\b|y/o|month-old|old\b|\bage|Drs?\b|Mr|Mrs|Ms\.|Miss |M\.D|_{2,}|\bX\b|\bXX|XYZ|ABC"
    r"|\bMM/|\b(19|20)\d\d\b|\d+/\d+/\d+|\d:\d\d|a\.m|p\.m|\bAM\b|\bPM\b|#\d{3}"
    r"|\b(January|February|March|April|May|June|July|August|September|October|November|December)\b"
    r"|\b(Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|Jan|Feb|Sept|Oct|Nov|Dec)\b"
    r"|[Hh]ospital|[Cc]linic\b|Center|school|church|work|job|retired|employ|student|teacher|nurse"
    r"|manager|driver|phone|Name|veteran|weekend|summer|winter|birthday|holiday|\bfarm"
)
PHRASES = (
    *("History of {c}.", "Assessment: {c}", "{c}, stable.", "r/o {c}", "Dx: {c}."),
    *("Family history is notable for {c}.", "Impression: {c} versus other etiology."),
    *("Pt w/ {c}, no change.", "No evidence of {c}.", "PMH: {c}, HTN, DM2"),
    *("{e} sign negative.", "{e} test positive on the left.", "s/p {e} procedure."),
    *("{e} score 12.", "+ {e}'s on R, neg on L", "on {e} scale 3.", "the {e} catheter was placed"),
)
FACILITIES = ("hospitals", "nursing", "dialysis", "urgent_care_facilities", "hospice", "rehab")
SPANISH_KINDS = ("first", "last", "city", "street", "profession")
SMALL_WORDS = {"OF", "AND", "THE", "AT", "FOR"}


class Sources:
    """The public data sets, as far as they are there."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.rng = random.Random(SEED)

    def lines(self, name: str) -> list[str]:
        path = self.root / name
        return path.read_text("utf-8", "ignore").splitlines() if path.is_file() else []

    def rows(self, name: str) -> list[dict[str, str]]:
        return list(csv.DictReader(self.lines(name)))

    def json(self, name: str, key: str) -> list[str]:
        path = self.root / name
        return list(json.loads(path.read_text("utf-8"))[key]) if path.is_file() else []

    def some(self, items: list[str], count: int) -> list[str]:
        return self.rng.sample(items, min(count, len(items)))


def pools(sources: Sources) -> dict[str, list[str]]:
    """Surfaces by kind; see incognote.learn.text.pools."""
    people = sources.rows("presidio_synth/FakeNameGenerator.com_3000.csv")
    first = sources.some(sources.lines("phileas_gaz/first-names.txt"), 12_000)
    last = sources.some(sources.lines("phileas_gaz/surnames.txt"), 25_000)
    towns = "corpora_cc0/english_towns_cities.json"
    facilities = [
        row
        for kind in FACILITIES
        for row in sources.some(sources.rows(f"synthea_gaz/{kind}.csv"), 900)
    ]
    companies = sources.lines("presidio_synth/companies_and_organizations.csv")[1:]
    found = {
        "first": [name.title() for name in first]
        + [row["GivenName"] for row in people]
        + sources.json("corpora_cc0/spanishFirstNames.json", "firstNames"),
        "last": [name.title() for name in last]
        + [row["Surname"] for row in people]
        + sources.json("corpora_cc0/spanishLastNames.json", "lastNames"),
        "city": sources.some(sources.lines("phileas_gaz/cities.txt"), 5000)
        + sources.json(towns, "towns")
        + sources.json(towns, "cities"),
        "country": sources.json("corpora_cc0/countries.json", "countries")
        + sources.json("corpora_cc0/nationalities.json", "nationalities"),
        "profession": sources.json("corpora_cc0/occupations.json", "occupations"),
        "hospital": sources.json("corpora_cc0/hospitals.json", "hospitals")
        + [written(row["name"]) for row in facilities if len(row["name"]) < 48],
        "street": [
            written(row["address"])
            for row in facilities
            if row["address"][:1].isdigit() and len(row["address"]) < 45
        ],
        "organization": sources.some([c for c in companies if len(c) < 40 and c.isascii()], 1500),
    }
    return {kind: sorted({s.strip() for s in items} - {""}) for kind, items in found.items()}


def written(name: str) -> str:
    """A name from a register, all in capitals there, as a note would write it."""
    name = re.sub(r",? (INC|LLC|LP|PC|PLLC|LTD)\.?,?$", "", name.strip())
    return " ".join(w.lower() if w in SMALL_WORDS else w.capitalize() for w in name.split())


def paragraphs(sources: Sources, names: set[str], eponyms: set[str]) -> Iterator[str]:
    """Paragraphs of real dictated reports that hold no PHI as far as rules can tell."""
    known = {
        *names,
        *(row.lower() for row in sources.json("corpora_cc0/countries.json", "countries")),
        *(row.lower() for row in sources.json("corpora_cc0/nationalities.json", "nationalities")),
        *(row["city"].lower() for row in sources.json("corpora_cc0/us_cities.json", "cities")),
        *(row["state"].lower() for row in sources.json("corpora_cc0/us_cities.json", "cities")),
        *("caucasian", "hispanic", "african", "asian", "university", "christmas", "thanksgiving"),
    } - eponyms
    inside = re.compile(r"(?<![.:?!]\s)(?<![.:?!]\s\s)(?<!^)\b[A-Z][a-z]+\b")
    for line in sources.lines("mtsamples/notes.jsonl"):
        # The line breaks of the originals became commas before headings.
        text = re.sub(r"([A-Z][A-Z /&-]{3,}):\s*,\s*", r"\1: ", json.loads(line)["text"])
        for part in re.split(r"(?<=\.),(?=[A-Z0-9])", text):
            paragraph = part.strip(" ,")
            if not 120 <= len(paragraph) <= 1400 or MAYBE_PHI.search(paragraph):
                continue
            if any(word.lower() in known for word in inside.findall(paragraph)):
                continue
            yield paragraph


def wrapped(text: str, rng: random.Random) -> str:
    text = re.sub(r"(?<=[.:]),(?=\S)", "\n", text)
    if rng.random() < 0.3:
        return "\n".join(textwrap.wrap(text, rng.choice((72, 80, 95))))
    return text


def eponym_notes(sources: Sources, count: int) -> Iterator[str]:
    rows = sources.rows("eponyms_allofus/final_eponymous_concepts.csv")
    for _ in range(count if rows else 0):
        lines = []
        for row in sources.rng.sample(rows, sources.rng.randint(4, 8)):
            concept = re.sub(r"\(.*?\)|\[.*?\]", "", row["concept_name"]).strip()
            eponym = row["eponym"].split("|")[0]
            if len(concept) <= 80:
                phrase = sources.rng.choice(PHRASES)
                lines.append(phrase.format(c=concept, e=eponym[:1].upper() + eponym[1:]))
        yield sources.rng.choice(("\n", " ", "; ")).join(lines)


def filled_reports(sources: Sources, surfaces: dict[str, list[str]]) -> Iterator[str]:
    """Real dictated reports with made-up names, places and dates where theirs were masked."""
    rng = sources.rng

    def date(_: re.Match[str]) -> str:
        month, day, year = rng.randint(1, 12), rng.randint(1, 28), rng.randint(1995, 2026)
        return rng.choice((f"{month}/{day}/{year}", f"{month:02}/{day:02}/{year % 100:02}"))

    def surface(kind: str) -> str:
        return rng.choice(surfaces[kind])

    def person(match: re.Match[str]) -> str:
        full = rng.random() < 0.3
        return f"{match[1]} {surface('first') + ' ' if full else ''}{surface('last')}"

    lines = sources.lines("mtsamples/notes.jsonl") * FILLED
    for line in lines if surfaces["last"] else ():
        text = json.loads(line)["text"]
        text = re.sub(r"(?:MM|DD)/(?:MM|DD)(?:/Y+)?", date, text)
        text = re.sub(r"\b(Dr\.?|Mr\.?|Mrs\.?|Ms\.?) +(?:[A-Z]{1,4}\b|_{2,})", person, text)
        places = r"\b(?:ABCD?|XYZ|_{3,})(?: (?:General|Medical|Hospital|Center|Clinic|Community))+"
        text = re.sub(places, lambda _: surface("hospital"), text)
        text = re.sub(r"\b(?:ABCD?|XYZ)\b", lambda _: surface("last"), text)
        text = re.sub(r"(?<=\.),(?=[A-Z])", "\n", text)
        yield framed(text, sources, surfaces) if rng.random() < 0.6 else text


HEADERS = (
    "Patient: {first} {last}   MRN: {n7}\nDOB: {date}   Admitted: {date}\n{hospital}\n\n",
    "{LAST}, {FIRST}\n#{n8}  {date}  {age}{sex}\nAttending: {first2} {last2}\n\n",
    "{hospital}\n{street}, {city}\nRE: {first} {last}, DOB {date}\nDear Dr. {last2}:\n\n",
    "Name {first} {last} | Acct {n8} | Seen {date} | Provider {last2}\n",
    "{first} {last} is a {age} year old {job} from {city}. ",
    "PATIENT NAME: {LAST}, {FIRST}  ACCOUNT NO: {n8}  ROOM: {n3}\n",
    "{date} {clock} {last2} MD\n",
    "pt {first} ({age}) here with {sex2} {first2}, lives in {city}\n",
)
SIGNATURES = (
    "\n\nElectronically signed by {first2} {last2}, MD on {date} {clock}\n",
    "\n\n{first2} {last2}, M.D.\nD: {date}  T: {date}\nJob #{n8}\n",
    "\ncc: {last2}, {hospital}, fax {phone}\n",
    "\n{i1}{i2}/{i3}{i1}\n",
    "\nCall {phone} with questions. {first2} {last2} RN\n",
)


def framed(text: str, sources: Sources, surfaces: dict[str, list[str]]) -> str:
    """A report with a header and a signature, as an archive has them."""
    rng = sources.rng

    def one(kind: str) -> str:
        return rng.choice(surfaces[kind]) if surfaces[kind] else "Alder"

    def digits(count: int) -> str:
        return "".join(rng.choice("0123456789") for _ in range(count))

    def values() -> dict[str, str]:
        first, last = one("first"), one("last")
        date = f"{rng.randint(1, 12)}/{rng.randint(1, 28)}/{rng.randint(1935, 2026)}"
        return {
            "first": first, "last": last, "FIRST": first.upper(), "LAST": last.upper(),
            "first2": one("first"), "last2": one("last"), "date": date, "city": one("city"),
            "clock": f"{rng.randint(0, 23):02}:{rng.randint(0, 59):02}", "job": one("profession"),
            "hospital": one("hospital"), "street": one("street"), "age": str(rng.randint(1, 97)),
            "sex": rng.choice("MF"), "sex2": rng.choice(("wife", "son", "mother", "sister")),
            "phone": f"({digits(3)}) {digits(3)}-{digits(4)}", "n3": digits(3), "n7": digits(7),
            "n8": digits(8), "i1": first[0], "i2": last[0], "i3": one("last")[0],
        }  # fmt: skip

    header = rng.choice(HEADERS).format(**values()) if rng.random() < 0.8 else ""
    return header + text + rng.choice(SIGNATURES).format(**values())


def spanish(sources: Sources, out: Path) -> None:
    """MEDDOCAN with our labels, and names and places of Spanish-speaking countries."""
    for part, name in (("train", "spanish"), ("dev", "spanish_dev")):
        folder = sources.root / "meddocan_es" / "corpus" / part / "xml"
        documents = read_corpus(folder) if folder.is_dir() else []
        mapped = [label_map("meddocan").apply(doc) for doc in documents]
        with (out / f"{name}.jsonl").open("w", encoding="utf-8") as file:
            for doc in mapped:
                spans = [{"start": s.start, "end": s.end, "type": s.label} for s in doc.spans]
                # One group, of which as many notes are held out as of each group of ours.
                row = {"id": f"meddocan_{doc.id}", "text": doc.text, "spans": spans}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
    for kind, items in spanish_pools().items():
        (out / "spanish_pools").mkdir(parents=True, exist_ok=True)
        lines = sorted({fold(item)[0] for item in items})
        (out / "spanish_pools" / f"{kind}.txt").write_text("\n".join(lines) + "\n", "utf-8")


def spanish_pools() -> dict[str, set[str]]:
    """From the package faker, where it is installed."""
    try:
        from faker import Faker
    except ModuleNotFoundError:
        return {}
    found: dict[str, set[str]] = {kind: set() for kind in SPANISH_KINDS}
    for locale in ("es_ES", "es_MX", "es_CO", "es_AR", "es_CL"):
        maker = Faker(locale)
        maker.seed_instance(SEED)
        for _ in range(3000):
            found["first"].add(maker.first_name())
            found["last"].add(maker.last_name())
            found["city"].add(maker.city())
            found["profession"].add(maker.job())
            if locale == "es_ES":
                found["street"].add(maker.street_address().replace("\n", ", "))
                found["city"].add(maker.state())
    found["country"] = {
        *("Espana", "Mexico", "Colombia", "Argentina", "Chile", "Peru", "Ecuador", "Marruecos"),
        *("Rumania", "Francia", "Portugal", "Bolivia", "Venezuela", "Cuba", "Italia", "Alemania"),
        *("Republica Dominicana", "Honduras", "Paraguay", "Uruguay", "Guatemala", "Reino Unido"),
    }
    return found


def shorthand(sources: Sources) -> Iterator[str]:
    """What general practitioners jot down; it may hold a profession, so it is no negative."""
    for path in sorted((sources.root / "primock57").glob("*.json")):
        yield json.loads(path.read_text("utf-8"))["note"]


def name_pairs(sources: Sources) -> Iterator[tuple[str, list[dict[str, object]]]]:
    """Short texts in which a word is a person here and something else there, four by four."""
    rows = [json.loads(line) for line in sources.lines("slm_deid_names/train.jsonl")]
    rows = [row for row in rows if not row.get("quarantine") and len(row["input"]) <= 500]
    sources.rng.shuffle(rows)
    for i in range(0, len(rows), 4):
        text = ""
        spans: list[dict[str, object]] = []
        for row in rows[i : i + 4]:
            spans += (
                {"start": len(text) + s["start"], "end": len(text) + s["end"], "type": "PATIENT"}
                for s in row["spans"]
                if s["is_name"]
            )
            text += row["input"] + "\n"
        yield text, spans


def main(data: Path, out: Path) -> None:
    sources = Sources(data)
    (out / "pools").mkdir(parents=True, exist_ok=True)
    surfaces = pools(sources)
    for kind, items in surfaces.items():
        if items:
            (out / "pools" / f"{kind}.txt").write_text("\n".join(items) + "\n", "utf-8")
    eponyms = {
        part.lower()
        for row in sources.rows("eponyms_allofus/final_eponymous_concepts.csv")
        for part in row["eponym"].split("|")
    }
    names = {name.lower() for name in surfaces["first"]}
    notes: list[tuple[str, list[dict[str, object]]]] = [
        (wrapped(text, sources.rng), []) for text in paragraphs(sources, names, eponyms)
    ]
    notes += [(text, []) for text in eponym_notes(sources, 400)]
    notes += name_pairs(sources)
    notes += (
        (doc.text, [{"start": s.start, "end": s.end, "type": s.label} for s in doc.spans])
        for doc in synthesise(templates(), SYNTHETIC, SEED)
    )
    with (out / "extra.jsonl").open("w", encoding="utf-8") as file:
        for number, (text, spans) in enumerate(notes):
            row = {"id": f"extra_{number}", "text": text, "spans": spans}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    with (out / "unlabelled.jsonl").open("w", encoding="utf-8") as file:
        texts = [*filled_reports(sources, surfaces), *shorthand(sources)]
        for number, text in enumerate(texts):
            row = {"id": f"report_{number}", "text": text, "spans": []}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    spanish(sources, out)
    print(f"{len(notes)} extra notes, {sum(map(len, surfaces.values()))} surfaces in {out}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
