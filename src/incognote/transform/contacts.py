"""Phones, e-mail, URLs, IP and hardware addresses: same layout, nobody's address.

Phone numbers come from the ranges kept for fiction, 555-0100 to 555-0199 and the British 07700 900
and 01632 960; hosts lie under the
reserved top-level domain .example (RFC 2606); IP addresses in the documentation ranges (RFC 5737,
RFC 3849); hardware addresses in that of RFC 7042.
"""

from __future__ import annotations

import re

from incognote.transform.draw import Dice
from incognote.transform.ids import redraw
from incognote.transform.organisations import is_generic
from incognote.transform.people import person_in
from incognote.transform.record import Mention, Record
from incognote.transform.spelling import squeeze
from incognote.transform.worddata import word_list, words_of
from incognote.transform.words import altered

_EXTENSION = re.compile(
    r"(?:\b(?:ext?\.?|extension|x|opt\.?|option|pin|local)|#)\s*[\d-]+.*$", re.IGNORECASE
)
_DIGITS = re.compile(r"\d")
_WORDS = re.compile(r"[^\W\d_]+|\d+")
_HOST = re.compile(r"^((?:[a-z]+\s?:\s?/\s?/\s?)?)([^/?#\s]+)(.*)$", re.IGNORECASE | re.DOTALL)
_ENDINGS = frozenset(
    "com org net edu gov mil info health care clinic law io example co ac nhs int biz".split()
)
_INSTITUTION = 8
_PATIENCE = 16
_V4_NETS = ("192.0.2", "198.51.100", "203.0.113")


def phone(mention: Mention, record: Record) -> str:
    """A fictional number in the same layout; an extension is a number of its own."""
    text = mention.text
    extension = _EXTENSION.search(text)
    main = text[: extension.start()] if extension else text
    digits = "".join(_DIGITS.findall(main))
    if not digits and not extension:
        return redraw(mention.label, text, record)

    def make(attempt: int) -> str:
        dice = record.scope.draws.dice("PHONE", digits, attempt)
        new = "" if not digits else _fictional(digits, dice, main.lstrip().startswith("+"))
        if _is_american(digits) and new[-10:-7] not in word_list("contacts", "toll_free"):
            new = new[:-10] + _area(digits[-10:-7], record, attempt) + new[-7:]
        source = iter(new)
        out = "".join(next(source) if char.isdecimal() else char for char in main)
        if extension:
            more = record.scope.draws.dice("EXTENSION", extension[0].casefold(), attempt)
            out += _DIGITS.sub(lambda _: str(1 + more.below(9)), extension[0])
        return out

    def taken(new: str) -> bool:
        # There are a hundred fictional lines: without its area code it may be somebody's here.
        return record.is_original(new) or "".join(_DIGITS.findall(new))[-7:] in record.wholes

    if len(digits) < 7:
        return record.first_other(mention.label, mention.text, make)
    return record.first_free(mention.label, make, taken)


def _is_american(digits: str) -> bool:
    return len(digits) == 10 + (digits[:1] == "1") and digits[-10] != "0"


def _area(code: str, record: Record, attempt: int) -> str:
    """The numbers of one town share their area code."""
    codes = words_of("contacts", "area_codes")
    return record.scope.draws.pick(codes, "AREA", code, attempt // _PATIENCE)


def _fictional(digits: str, dice: Dice, international: bool) -> str:
    if international and not digits.startswith("1"):
        # Country codes have one to three digits; two keep the commonest countries recognisable.
        return digits[:2] + "".join(str(dice.below(10)) for _ in digits[2:])
    lead, rest = (digits[0], digits[1:]) if len(digits) == 11 and digits[0] == "1" else ("", digits)
    if len(rest) == 10 and rest[0] != "0":
        free = rest[:3] in word_list("contacts", "toll_free")
        area = dice.pick(words_of("contacts", "toll_free" if free else "area_codes"))
        return f"{lead}{area}55501{dice.below(100):02d}"
    if len(digits) == 7:
        return f"55501{dice.below(100):02d}"
    if len(digits) == 11 and digits[0] == "0":  # British: a mobile, or a line of no town
        return ("07700900" if digits[1] == "7" else "01632960") + f"{dice.below(1000):03d}"
    first = "0" if digits[0] == "0" and len(digits) > 1 else str(1 + dice.below(9))
    return first + "".join(str(dice.below(10)) for _ in digits[1:])


def email(mention: Mention, record: Record) -> str:
    local, at, host = mention.text.rpartition("@")
    if not at:
        return _blurred(mention, record)

    def make(attempt: int) -> str:
        return f"{_local(local, record, attempt)}@{_host(host, record, attempt)}"

    return record.first_other("EMAIL", mention.text, make)


def url(mention: Mention, record: Record) -> str:
    match = _HOST.match(mention.text)
    if match is None or "." not in match[2]:
        return _blurred(mention, record)
    scheme, host, path = match.groups()

    def make(attempt: int) -> str:
        return scheme + _host(host, record, attempt) + _path(path, record, attempt)

    return record.first_other("URL", mention.text, make)


def _path(path: str, record: Record, attempt: int) -> str:
    def other(match: re.Match[str]) -> str:
        followed = None if attempt else person_in(match[0], record)
        return followed or _words(match[0], record, attempt, "paths")

    return re.sub(r"[^/?#&=]+", other, path)


def _local(local: str, record: Record, attempt: int) -> str:
    followed = person_in(local, record)
    return followed if followed and not attempt else _words(local, record, attempt, "roles")


def _host(host: str, record: Record, attempt: int) -> str:
    """Other labels under .example; "www" and its like stay."""
    labels = host.split(".")
    while len(labels) > 1 and (labels[-1].lower() in _ENDINGS or len(labels[-1]) == 2):
        labels.pop()
    fresh = [_host_label(label, record, attempt) for label in labels]
    ending = "EXAMPLE" if host.isupper() else "example"
    return ".".join([*fresh, ending])


def _host_label(label: str, record: Record, attempt: int) -> str:
    """Long labels are names of institutions written as one word: "copperbasinclinic"."""
    if (
        len(label) < _INSTITUTION
        or not label.isalpha()
        or label.lower() in word_list("contacts", "roles")
    ):
        return _words(label, record, attempt, "roles")
    lower = label.lower()
    kind = next((lower[at:] for at in range(4, len(lower) - 3) if is_generic(lower[at:])), "")

    def make(more: int) -> str:
        names = words_of("organisations", "fancy")
        return record.scope.draws.pick(names, "HOST", lower, attempt * 64 + more).lower()

    new = record.first_free("host", make) + kind
    return new.upper() if label.isupper() else new


def _words(text: str, record: Record, attempt: int, keep: str) -> str:
    kept = word_list("contacts", keep)

    def other(match: re.Match[str]) -> str:
        word = match[0]
        if word.lower() in kept:
            return word
        if word.isdigit():
            dice = record.scope.draws.dice("NUMBER", word, attempt)
            return "".join(str(1 + dice.below(9)) for _ in word)
        return altered(word, record, attempt)

    return _WORDS.sub(other, text)


def _blurred(mention: Mention, record: Record) -> str:
    """An address that is spelled out or torn by OCR: every word changes, the rest stays."""
    keep = {"at", "dot", "http", "https", "www", "com", "org", "net"}

    def other(match: re.Match[str]) -> str:
        word = match[0]
        return word if word.lower() in keep else altered(word, record)

    return re.sub(r"[^\W_]+", other, mention.text)


def ip_address(mention: Mention, record: Record) -> str:
    text = mention.text
    if text.count(".") != 3 and ":" not in text:
        return redraw("IPADDR", text, record)

    def make(attempt: int) -> str:
        dice = record.scope.draws.dice("IPADDR", squeeze(text), attempt)
        if ":" not in text:
            match = re.search(r"[:/]\d+$", text)
            return f"{dice.pick(_V4_NETS)}.{1 + dice.below(254)}{match[0] if match else ''}"
        return _ipv6(text, dice)

    return record.first_other("IPADDR", mention.text, make)


def _ipv6(text: str, dice: Dice) -> str:
    """2001:db8::/32, with as many groups of as many digits as the original."""
    groups = text.split(":")
    fresh = ["".join(dice.pick("123456789abcdef") for _ in group) for group in groups]
    # "fe80::1" has no second group, "::1" no first: they get what names the range.
    fresh[: 2 if groups[1] else 1] = ["2001", "db8"]
    joined = ":".join(fresh)
    return joined.upper() if text.upper() == text and text.lower() != text else joined


def mac_address(mention: Mention, record: Record) -> str:
    digits = squeeze(mention.text)
    if len(digits) != 12:
        return redraw("MAC", mention.text, record)
    dice = record.scope.draws.dice("MAC", digits)
    source = iter(f"00005e0053{dice.below(256):02x}")
    out = "".join(next(source) if char.isalnum() else char for char in mention.text)
    return out.upper() if mention.text.isupper() else out


def username(mention: Mention, record: Record) -> str:
    """Follows the person whose name it is made of; otherwise letters for letters.

    Short codes ("jw/tr") are initials, and map as the initials of names do.
    """
    text = mention.text
    followed = person_in(text, record)
    if followed and not record.is_original(followed):
        return followed

    def make(attempt: int) -> str:
        def other(match: re.Match[str]) -> str:
            word = match[0]
            if word.isdigit():
                dice = record.scope.draws.dice("NUMBER", word, attempt)
                return "".join(str(1 + dice.below(9)) for _ in word)
            if len(word) <= 3 and not attempt:
                return "".join(map(record.scope.letter, word))
            return altered(word, record, attempt)

        return _WORDS.sub(other, text)

    return record.first_other("USERNAME", mention.text, make)
