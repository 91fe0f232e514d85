"""Names of the parts inside an Office package: those that no program gives are replaced.

Word and Excel call their parts sheet1.xml or image2.png. Other programs put the name of a sheet or
of a picture's file there. Such a part gets a number, and references to it are changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from incognote.formats.patch import Change, Slot
from incognote.formats.xml.scan import Node, write_attribute

# What Word, Excel and the libraries beside them call parts, without the number behind it.
_USUAL = frozenset(
    """activex app attachedtoolbars calcchain chart chartsheet chartusershapes colors comment
    comments commentsdrawing commentsextended commentsextensible commentsids connections
    control core ctrlprop custom customizations customproperty data dialogsheet document
    documenttasks drawing endnotes externallink featurepropertybag font fonttable footer
    footnotes header image ink item itemprops keymapcustomizations labelinfo layout media
    metadata microsoft_excel_sheet microsoft_excel_worksheet microsoft_word_document model
    namedsheetview numbering oleobject origin people person pivotcachedefinition
    pivotcacherecords pivottable printersettings querytable quickstyle quickstyles rdarray
    rdrichvalue rdrichvaluestructure rdrichvaluetypes recipientdata revisionheaders
    revisionlog richvaluerel settings sharedstrings sheet sheetmetadata sig slicer
    slicercache style styles styleswitheffects table tablesinglecells taskpanes theme
    thememanager themeoverride threadedcomment thumbnail timeline timelinecache usernames
    vmldrawing volatiledependencies webextension websettings workbook xmlmaps""".split()
)
_CONTENT_TYPES = "[Content_Types].xml"


def new_part_names(names: Iterable[str]) -> dict[str, str]:
    """Old name -> new name of every part whose name says more than what it is."""
    changed: dict[str, str] = {}
    for name in names:
        path = PurePosixPath(name)
        usual = path.stem.rstrip("0123456789").lower() in _USUAL
        if name.endswith(("/", ".rels")) or name == _CONTENT_TYPES or usual:
            continue
        new = f"part{len(changed) + 1}{path.suffix}"
        changed[name] = str(path.with_name(new))
        # What the part itself refers to appears in a file that has its name.
        rels = path.parent / "_rels"
        changed[str(rels / f"{path.name}.rels")] = str(rels / f"{new}.rels")
    return changed


def reference_slots(part: str, nodes: Sequence[Node], changed: Mapping[str, str]) -> list[Slot]:
    """The references of a part to parts that have a new name."""
    if part == _CONTENT_TYPES:
        found = [(node, node.text.lstrip("/")) for node in nodes if node.name == "PartName"]
    elif part.endswith(".rels"):
        found = [(node, target(part, node.text)) for node in nodes if node.name == "Target"]
    else:
        return []
    return [_renaming_slot(node, changed[meant]) for node, meant in found if meant in changed]


def target(relations: str, reference: str) -> str:
    """The part that a reference in a file of relations means, be it there or not."""
    if reference.startswith("/"):
        return reference.lstrip("/")
    parts: list[str] = []
    for part in (PurePosixPath(relations).parent.parent / reference).parts:
        if part == "..":
            del parts[-1:]
        else:
            parts.append(part)
    return "/".join(parts)


def _renaming_slot(node: Node, new: str) -> Slot:
    folder, slash, _ = node.text.rpartition("/")
    text = write_attribute(folder + slash + new.rpartition("/")[2])
    return Slot((), lambda _: [Change(node.start, node.end, text)])
