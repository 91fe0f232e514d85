"""What attributes of Office XML say: authors, dates, and words that somebody wrote.

Hundreds of attributes hold words, and every version of Office adds some. So those are listed that
only say how things look, or refer to something; the value of any other is read, unless it is a
number, a reference, or a word of the kind that schemas are made of (`center`, `nextPage`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from incognote.core.fields import words_of
from incognote.formats.office.docx_styles import REFERRING
from incognote.formats.office.field_codes import AUTOMATIC_BOOKMARK
from incognote.formats.patch import Piece, Slot, text_slot
from incognote.formats.xml.scan import WRITERS, Node, write_text

ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_NO_DAY = "1900-01-01"
WORD = re.compile(r"[^\W_]")
_DATES = frozenset("date dateTime dateUtc dT fullDate time".split())
_AUTHORS = frozenset("author initials refreshedBy userId userName".split())
# Read whatever their value looks like, on any element of any part.
_WRITTEN = frozenset(
    """alt altText altTextSummary anchor cache caption codeName colHeaderCaption command comment
    connection customMenu dataCaption descr description destinationFile display displayName
    displayText divId docLocation ed error errorCaption errorTitle grandTotalCaption help href instr
    label location missingCaption name Name newName oldName original phldrT post presName prompt
    promptTitle refersTo rowHeaderCaption solutionID sourceFile sourceName sourceObject statusBar
    statusText string stringValue1 stringValue2 subtotalCaption tag target text tgtFrame title
    tooltip totalsRowLabel uniqueName url user xpath""".split()
)
# Elements whose `val` or `value` is read whatever it looks like.
_VALUED = frozenset(
    """addressFieldName alias aliases attachedSchema attr cellSmartTagPr connectString customFilter
    default desc docPart docVar entryMacro exitMacro filter helpText inputCells item listEntry
    listItem lvlText mailSubject mappedName name property query result sectionTitle sheetName
    sourceFileName statusText table tag tblCaption tblDescription title udl""".split()
)
# How things look, and what refers to something else of the package.
_LOOKS = frozenset(
    """Algorithm ContentType Extension Id Ignorable ObjectType PartName Type algorithmName ascii
    cellStyle count cs dataPosition defaultPivotStyle defaultSlicerStyle
    defaultTableStyle defaultTimelineStyle eastAsia hAnsi hash hashValue lang
    ProcessContent MustUnderstand path ref salt saltValue script sqref storeItemID style styleId
    typeface""".split()
)
_LOOKING = REFERRING | frozenset(
    "altName cellXfs dateFormat feature fileVersion font lsdException mathFont rFonts"
    " revisionPtr".split()
)
_TOKEN = re.compile(
    r"""[a-z][A-Za-z0-9]*                                   # center, nextPage
    | [-+]?[\d.,]+[a-z%]{0,4} | \#?[0-9A-Fa-f]+ | \W*       # 12pt, FF0000
    | \{?[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\}?
    | \#?_x[0-9a-f]{4}_\w?\d+ | rId\d+ | [a-z]{2,3}-[A-Z]{2} | [a-z]+:[A-Z0-9]+
    | (?:https?|urn):[\w./:-]*(?:schema|purl|w3\.org)[\w./:#-]*
    | (?:\$?[A-Z]{1,3}\$?\d+[:\ ]?)+                        # A1:B2""",
    re.VERBOSE,
)


def attribute_slots(node: Node, where: str, part: str) -> list[Slot]:
    """What an attribute has to be read for: nothing, or one slot."""
    name, owner = node.name.rpartition(":")[2], node.path[-1]
    if not WORD.search(node.text) or node.name.startswith("xmlns"):
        return []
    if name in _AUTHORS:
        return [value_slot(node, where, part, "DOCTOR")]
    if name in _DATES and ISO_DAY.match(node.text):
        return [date_slot(node, where, part)]
    if name in _LOOKS or owner in _LOOKING or node.text.startswith("_xlnm"):
        return []
    if AUTOMATIC_BOOKMARK.fullmatch(node.text):
        return []
    if name == "anchor" and owner != "hyperlink":
        return []  # where a text appears in its box; of a link it is a bookmark
    written = name in _WRITTEN or (name in ("val", "value") and owner in _VALUED)
    if written or not _TOKEN.fullmatch(node.text):
        return [value_slot(node, where, part)]
    return []


def every_slot(nodes: Sequence[Node], where: str, part: str) -> list[Slot]:
    """XML of unknown shape: every text and attribute."""
    return [
        value_slot(node, where, part)
        for node in nodes
        if WORD.search(node.text) and not node.name.startswith("xmlns")
    ]


def value_slot(
    node: Node, where: str, part: str, label: str | None = None, context: str = ""
) -> Slot:
    """One attribute or text, with its own name as context unless there is better."""
    return text_slot(
        where,
        [Piece(node.start, node.end, node.text)],
        WRITERS[node.kind],
        lead="" if label else f"{words_of(context or node.name.rpartition(':')[2])}: ",
        label=label,
        locator=f"{where} {part} {node.path[-1] if node.path else ''}",
    )


def date_slot(node: Node, where: str, part: str) -> Slot:
    """The date of an ISO stamp; the time of day behind it stays.

    Office does not open a file with a stamp that is none, so that a tag becomes the day on which
    its calendar begins.
    """
    after = node.text[10:]
    return text_slot(
        where,
        [Piece(node.start, node.end, node.text[:10])],
        lambda text: (text if ISO_DAY.fullmatch(text) else _NO_DAY) + write_text(after),
        label="DATE",
        locator=f"{where} {part}",
    )
