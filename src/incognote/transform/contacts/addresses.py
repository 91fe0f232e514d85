"""E-mail, URLs, IP and hardware addresses: same layout, an address that is not in use.

Hosts lie under the reserved top-level domain .example (RFC 2606); IP addresses in the ranges kept
for private networks, tests and manuals (RFC 1918, 2544, 3849); hardware addresses among those that
no maker has (locally administered).
"""

from __future__ import annotations

import re

from incognote.transform.draw import Dice
from incognote.transform.numbers.ids import remapped
from incognote.transform.people.name_words import real_word
from incognote.transform.people.names import like_case, person_in
from incognote.transform.places.organisations import Institutions, invented_name, is_generic
from incognote.transform.record import Mention, TransformRecord
from incognote.transform.spelling import squeeze
from incognote.transform.word_data import word_list

_WORDS = re.compile(r"[^\W\d_]+|\d+")
_HOST = re.compile(r"^((?:[a-z]+\s?:\s?/\s?/\s?)?)([^/?#\s]+)(.*)$", re.IGNORECASE | re.DOTALL)
_MAIL_SCHEME = re.compile(r"(?:mailto|sips?|xmpp|imap|smtp)\s?:\s?", re.IGNORECASE)
_ENDINGS = frozenset(
    "com org net edu gov mil info health care clinic law io example co ac nhs int biz".split()
)
_INSTITUTION = 8
_PATIENCE = 16
_V4 = re.compile(r"(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})")
_PRIVATE = (((10,), "10"), ((192, 168), "192.168"), ((127,), "127"))


def email(mention: Mention, record: TransformRecord) -> str:
    scheme = _MAIL_SCHEME.match(mention.text)
    lead = scheme[0] if scheme else ""
    local, at, host = mention.text.removeprefix(lead).rpartition("@")
    if not at:
        return _blurred(mention, record)

    def make(attempt: int) -> str:
        return f"{lead}{_local(local, record, attempt)}@{_host(host, record, attempt)}"

    return record.first_other("EMAIL", mention.text, make)


def url(mention: Mention, record: TransformRecord) -> str:
    match = _HOST.match(mention.text)
    if match is None or "." not in match[2]:
        return _blurred(mention, record)
    scheme, host, path = match.groups()

    def make(attempt: int) -> str:
        return scheme + _host(host, record, attempt) + _path(path, record, attempt)

    return record.first_other("URL", mention.text, make)


def _path(path: str, record: TransformRecord, attempt: int) -> str:
    def other(match: re.Match[str]) -> str:
        followed = None if attempt else person_in(match[0], record)
        return followed or _words(match[0], record, attempt, "paths")

    return re.sub(r"[^/?#&=]+", other, path)


def _local(local: str, record: TransformRecord, attempt: int) -> str:
    followed = person_in(local, record)
    return followed if followed and not attempt else _words(local, record, attempt, "roles")


def _host(host: str, record: TransformRecord, attempt: int) -> str:
    """Other labels under .example; "www" and its like stay."""
    labels = host.split(".")
    while len(labels) > 1 and (labels[-1].lower() in _ENDINGS or len(labels[-1]) == 2):
        labels.pop()
    fresh = [_host_label(label, record, attempt) for label in labels]
    ending = "EXAMPLE" if host.isupper() else "example"
    return ".".join([*fresh, ending])


def _host_label(label: str, record: TransformRecord, attempt: int) -> str:
    """Long labels are names of institutions written as one word: "copperbasinclinic"."""
    lower = label.lower()
    known = record.know(Institutions).host(lower)
    if known:
        return record.chose(known.upper() if label.isupper() else known)
    if len(label) < _INSTITUTION or not label.isalpha() or lower in word_list("contacts", "roles"):
        return _words(label, record, attempt, "roles")
    kind = next((lower[at:] for at in range(4, len(lower) - 3) if is_generic(lower[at:])), "")

    new = squeeze(invented_name(lower, record, attempt)) + kind
    record.chose(new)
    return new.upper() if label.isupper() else new


def _words(text: str, record: TransformRecord, attempt: int, keep: str) -> str:
    kept = word_list("contacts", keep)

    def other(match: re.Match[str]) -> str:
        word = match[0]
        if word.lower() in kept:
            return word
        if word.isdigit():
            dice = record.scope.draws.dice("NUMBER", word, attempt)
            return "".join(str(1 + dice.below(9)) for _ in word)
        return like_case(word, real_word(word, record, salt=str(attempt or "")))

    return _WORDS.sub(other, text)


def _blurred(mention: Mention, record: TransformRecord) -> str:
    """An address that is spelled out or torn by OCR: every word changes, the rest stays."""
    keep = {"at", "dot", "http", "https", "www", "com", "org", "net"}

    def other(match: re.Match[str]) -> str:
        word = match[0]
        return word if word.lower() in keep else like_case(word, real_word(word, record))

    return re.sub(r"[^\W_]+", other, mention.text)


_HEX = re.compile(r"[0-9A-Fa-f]")


def ip_address(mention: Mention, record: TransformRecord) -> str:
    text = mention.text
    if ":" in text and text.count(":") > 1:
        return record.chose(_ipv6(text, record.scope.draws.dice("IPADDR", squeeze(text))))
    match = _V4.match(text)
    if match is None:
        return remapped(text, record)
    octets = [int(part) for part in match.groups()]
    return record.chose(".".join(map(str, _ipv4(octets, record))) + text[match.end() :])


def _ipv4(octets: list[int], record: TransformRecord) -> list[int]:
    """Within a private network; others go to the 131,072 addresses kept for measurements."""
    for head, base in _PRIVATE:
        if octets[: len(head)] == list(head):
            rest = octets[len(head) :]
            size = 256 ** len(rest)
            number = int.from_bytes(bytes(octet % 256 for octet in rest))
            image = record.scope.permuted(f"ip:{base}", size, number)
            return [*head, *image.to_bytes(len(rest))]
    image = record.scope.draws.dice("IPADDR", ".".join(map(str, octets))).below(2**17)
    return [198, 18 + image // 2**16, *(image % 2**16).to_bytes(2)]


def _ipv6(text: str, dice: Dice) -> str:
    """2001:db8::/32, with as many groups of as many digits as the original. The zone of an address
    ("%eth0") names a machine's own plug; it gets the first there is. Dots and a mask stay."""
    text, zone, _ = text.partition("%")
    groups = text.split(":")
    fresh = [_HEX.sub(lambda _: dice.pick("123456789abcdef"), group) for group in groups]
    # "fe80::1" has no second group, "::1" no first: they get what names the range.
    fresh[: 2 if groups[1] else 1] = ["2001", "db8"]
    joined = ":".join(fresh)
    upper = text.upper() == text and text.lower() != text
    return (joined.upper() if upper else joined) + (f"{zone}0" if zone else "")


def mac_address(mention: Mention, record: TransformRecord) -> str:
    digits = squeeze(mention.text)
    if len(digits) != 12 or set(digits) - set("0123456789abcdef"):
        return remapped(mention.text, record)
    # 44 bits are permuted; the first digit but one says that no maker gave the address.
    image = record.scope.permuted("mac", 2**44, int(digits[0] + digits[2:], 16))
    new = f"{image:011x}"
    source = iter(f"{new[0]}{'26ae'[int(digits[1], 16) % 4]}{new[1:]}")
    out = "".join(next(source) if char.isalnum() else char for char in mention.text)
    return record.chose(out.upper() if mention.text.isupper() else out)


def username(mention: Mention, record: TransformRecord) -> str:
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
            return like_case(word, real_word(word, record, salt=str(attempt or "")))

        return _WORDS.sub(other, text)

    return record.first_other("USERNAME", mention.text, make)
