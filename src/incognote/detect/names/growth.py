"""Growth: how far a name goes on from its first word.

Initials, double names, particles, nicknames, first names behind a comma, suffixes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from incognote.detect.names.behind import has_credential
from incognote.detect.names.facts import (
    AFTER_NAME,
    AMBIGUOUS,
    CAPITAL,
    CLOSE,
    COLON,
    COMMA,
    CREDENTIAL,
    CUE,
    DOT,
    FAMILY,
    FIELD_PATIENT,
    FIRST,
    HYPHEN,
    KIN,
    KNOWN,
    LAST,
    LETTER,
    LOWER,
    MAKES_PLACE_BEFORE,
    MEDICAL,
    NAMEABLE,
    NEVER,
    OPEN,
    PARTICLE,
    QUOTE,
    REGION,
    SHORT_GIVEN,
    SMALL_LETTER,
    STRONG,
    SUFFIX,
    TITLE,
    UNKNOWN,
    UPPER,
)

if TYPE_CHECKING:
    from incognote.detect.names.page import Page, Run

SHORT = 5  # capitals up to this length that no list knows are abbreviations in ordinary prose
_MAX_PARTS = 6


def grow(page: Page, run: Run) -> None:
    """Extends the run over what follows, as long as it can belong to the same name."""
    kind = page.bits[run.names[0]] & (CAPITAL | UPPER | LOWER)
    while run.stop < len(page) and len(run.names) + len(run.initials) < _MAX_PARTS:
        if not (
            _take_glued(page, run, kind)
            or (not _ends(page, run.stop) and _take_separate(page, run, kind))
        ):
            return
        if run.suffix:
            return  # nothing follows it


def _ends(page: Page, at: int) -> bool:
    """A new line, column or field: only a comma goes on from there."""
    return page.gap(at) and not page.bits[at] & COMMA


def _take_glued(page: Page, run: Run, kind: int) -> bool:
    """Takes what belongs to the word before: a hyphen, a misread letter, the full stop of "Wm."."""
    at = run.stop
    if not page.glued(at):
        return False
    here = page.bits[at]
    if here & HYPHEN and page.glued(at + 1) and _is_second_half(page, at + 1, kind):
        run.names.append(at + 1)
        run.stop = at + 2
    elif _is_misread(page, at):
        run.stop = at + 2
    elif here & DOT and page.bits[at - 1] & SHORT_GIVEN:
        run.stop = at + 1
    else:
        return False
    return True


def _take_separate(page: Page, run: Run, kind: int) -> bool:
    """Takes the next part of the name: a suffix, an initial, a word, a nickname, or a given name
    behind a comma."""
    at = run.stop
    here, glued = page.bits[at], page.glued(at)
    letter = SMALL_LETTER | LETTER if kind == LOWER else LETTER
    if here & SUFFIX and not glued and _suffix_fits(page, run, at):
        run.suffix = True
        run.stop = _with_dot(page, at)
    elif here & letter and not glued:
        if not _initial_fits(page, run, at):
            return False
        _add_initial(page, run, at)
    elif here & letter and page.bits[at - 1] & DOT and run.initials and run.initials[-1] == at - 2:
        _add_initial(page, run, at)
    elif here & PARTICLE and (end := _particles(page, at, kind)):
        run.names.append(end)
        run.stop = end + 1
    elif not glued and _continues_name(page, run, at, kind):
        run.names.append(at)
        run.stop = at + 1
    elif here & (QUOTE | OPEN) and not run.nickname and (end := _nickname(page, run, kind)):
        run.nickname = True
        run.names.append(at + 1)
        run.stop = end
    else:
        return _take_behind_comma(page, run, kind)
    return True


def _take_behind_comma(page: Page, run: Run, kind: int) -> bool:
    """Takes a first name or a suffix behind a comma, or behind the mark of an interface message."""
    at = run.stop
    mark = page.words[at]
    if (
        mark in ",^"
        and not run.comma
        and not has_credential(page, at)
        and (end := _given_after(page, run, kind))
    ):
        run.comma = True
        if page.bits[end] & LETTER:
            _add_initial(page, run, end)
        else:
            run.names.append(end)
            run.stop = end + 1
    elif mark == "^" and run.comma and at + 1 < len(page) and _is_interface_part(page, at + 1):
        (run.initials if page.bits[at + 1] & LETTER else run.names).append(at + 1)
        run.stop = at + 2
    elif (
        mark == ","
        and at + 1 < len(page)
        and page.bits[at + 1] & SUFFIX
        and page.words[at + 1][0] in "JjSsI"
    ):
        run.suffix = True
        run.stop = _with_dot(page, at + 1)
    else:
        return False
    return True


def _add_initial(page: Page, run: Run, at: int) -> None:
    run.initials.append(at)
    run.stop = _with_dot(page, at)


def _suffix_fits(page: Page, run: Run, at: int) -> bool:
    """A number needs a whole name before it: "John Ward III", but not "Crowe III dysplasia"."""
    if page.words[at][0] not in "Ii":
        return True
    return len(run.names) + len(run.initials) > 1 or bool(page.bits[run.first - 1] & TITLE)


def _is_misread(page: Page, at: int) -> bool:
    """Whether a scanner read a digit for a letter inside a word: "YARBR0UGH", "Si1verman"."""
    return (
        page.words[at] in {"0", "1", "5", "8"}
        and page.glued(at + 1)
        and bool(page.bits[at + 1] & (LOWER | UPPER | LETTER | SMALL_LETTER))
    )


def _is_interface_part(page: Page, at: int) -> bool:
    """Whether a word is the next part of a name in an interface message: KOWALSKI^RUTH^ANNE^M."""
    return page.glued(at) and bool(page.bits[at] & (NAMEABLE | LETTER))


def _with_dot(page: Page, at: int) -> int:
    """The end of an abbreviation: behind its full stop, if it has one."""
    dotted = at + 1 < len(page) and page.bits[at + 1] & DOT and page.glued(at + 1)
    return at + 2 if dotted else at + 1


def _continues_name(page: Page, run: Run, at: int, kind: int) -> bool:
    """Whether a word continues a name of this letter case."""
    bits = page.bits[at]
    if kind == LOWER:
        return bool(bits & LOWER and bits & NAMEABLE and bits & (STRONG | KNOWN)) or bool(
            bits & LOWER and bits & UNKNOWN and bits & NAMEABLE and len(page.words[at]) > 4
        )
    if bits & UPPER:
        if kind == CAPITAL and not bits & STRONG and len(page.words[at]) <= SHORT:
            return False
        return bool(bits & NAMEABLE)
    if not bits & CAPITAL:
        return False
    if bits & NAMEABLE:
        return True
    before = page.bits[run.names[-1]]
    certain = bool(before & FIRST and before & (STRONG | KNOWN))
    if bits & (NEVER | CUE):
        return certain and is_any_word(bits) and _is_surname_by_use(page, run, at)
    if (bits & LAST or not bits & MEDICAL) and has_credential(page, at + 1):
        return True
    # "Ephraim Stills": a rare surname that is an ordinary word, behind a certain first name.
    return bool(certain and bits & LAST and not bits & MEDICAL)


def is_any_word(bits: int) -> bool:
    """A frequent surname that is also one of the words of which all texts are made: Still, Page."""
    frequent = bits & LAST and bits & (STRONG | AMBIGUOUS)
    return bool(frequent and bits & (NEVER | CUE) and not bits & (TITLE | KIN | FAMILY | NAMEABLE))


def _is_surname_by_use(page: Page, run: Run, at: int) -> bool:
    """What people do comes behind it, or a title before all of it: "John Still was seen",
    "Dr. Karen Page". Written with its capital, the small word alone would begin a sentence."""
    if at + 1 < len(page) and not page.gap(at + 1):
        following = page.bits[at + 1]
        if following & AFTER_NAME and following & LOWER:
            return True
    first = run.first - 1
    if first > 0 and page.bits[first] & DOT:
        first -= 1
    return first >= 0 and bool(page.bits[first] & TITLE)


def _is_second_half(page: Page, at: int, kind: int) -> bool:
    """The second half of a double name may be any word: Stands-Alone, Min-jun."""
    if at >= len(page):
        return False
    bits = page.bits[at]
    if kind == LOWER:
        return bool(bits & LOWER and bits & NAMEABLE)
    if bits & LOWER:
        return bool(bits & NAMEABLE)
    return bool(bits & (CAPITAL | UPPER)) and (
        bool(bits & NAMEABLE) or not bits & (NEVER | MEDICAL)
    )


def _initial_fits(page: Page, run: Run, at: int) -> bool:
    """A lone letter behind a name: "Thanh-Mai T", but not "I" or "A" that starts a clause, unless
    the name is turned round: "JONES, MARY A returned"."""
    if _with_dot(page, at) == at + 2:
        return True
    apart = page.gap(at + 1) or page.bits[at + 1] & (COMMA | CLOSE | COLON | OPEN)
    if apart:
        return True
    if page.glued(at + 1):
        return False
    return page.words[at] not in "AaIi" or (page.words[at] == "A" and run.comma)


def _particles(page: Page, at: int, kind: int) -> int:
    """Index of the name word behind "de la", "van", "al-" and the like, or 0."""
    bits = page.bits
    end = at
    while end < len(page) and end - at < 4:
        if page.breaks(end) or (
            page.words[end].lower() == "st" and not _with_dot(page, end) > end + 1
        ):
            break
        if not (bits[end] & PARTICLE or (bits[end] & (HYPHEN | DOT) and page.glued(end))):
            break
        end += 1
    if end >= len(page) or page.breaks(end):
        return 0
    if not bits[end] & NAMEABLE and not (bits[end - 1] & DOT and bits[end] & LAST):
        return 0
    fits = bits[end] & LOWER if kind == LOWER else bits[end] & (CAPITAL | UPPER)
    return end if fits else 0


def _nickname(page: Page, run: Run, kind: int) -> int:
    """The end of the nickname in: Buford ["Buck"] Stallcup, Armand ["Frenchy"]; or 0."""
    at = run.stop
    if at + 2 >= len(page) or page.breaks(at + 2) or page.glued(at) or not page.glued(at + 1):
        return 0
    nick = page.bits[at + 1]
    if not nick & (CAPITAL | UPPER | kind) or nick & (NEVER | CUE):
        return 0
    if page.bits[at] & QUOTE:
        return at + 3 if page.bits[at + 2] & QUOTE else 0
    # In brackets only with the surname behind: "Robert (Bob) Ward", not "Ward (Cardiology)".
    closed = page.bits[at + 2] & CLOSE and at + 3 < len(page) and not page.gap(at + 3)
    return at + 3 if closed and nick & FIRST and _continues_name(page, run, at + 3, kind) else 0


def _given_after(page: Page, run: Run, kind: int) -> int:
    """Index of the first name or initial in "Kessinger, Robert" or "QIU, M.", or 0."""
    bits = page.bits
    after = run.stop + 1
    if after >= len(page) or page.breaks(after) or run.initials:
        return 0
    before = bits[run.first - 1] if run.first > 0 else COLON
    if before & (TITLE | DOT):
        return 0
    surname, given = bits[run.names[-1]], bits[after]
    whole = (
        len(run.names) == 1
        or all(bits[i + 1] & HYPHEN for i in run.names[:-1])
        or bits[run.first] & PARTICLE
    )
    if not whole and not (surname & UPPER and given & (UPPER | LETTER)):
        return 0
    glued = page.glued(after)
    if given & LETTER:
        follows = after + 1
        closed = page.gap(follows) or bits[follows] & (DOT | COMMA | OPEN | CLOSE | CREDENTIAL)
        # "Altamont Rheumatology, P.C." is no Mr. Altamont.
        longer = follows + 1 < len(page) and bits[follows] & DOT and page.glued(follows + 1)
        return after if (closed or glued) and not longer else 0
    if given & (NEVER | CUE | REGION) or not given & kind:
        return 0
    if given & MAKES_PLACE_BEFORE and kind == CAPITAL:
        return 0  # "Georgetown, South Carolina"
    # "Kim, Rosa and Ed" is a list of first names; "Ward, Rosa" a name turned round.
    if given & NAMEABLE and given & FIRST and (surname & LAST or not surname & FIRST or glued):
        return after
    # First names that no list has: where a field or a column starts, a name turned round is usual.
    announced = before & (COLON | FIELD_PATIENT) or page.gap(run.first)
    if not announced and not glued:
        return 0
    if kind == UPPER and len(page.words[after]) <= SHORT and not glued:
        return 0
    if given & NAMEABLE:
        return after
    return after if announced and given & FIRST and not given & MEDICAL else 0
