"""Numbers and codes that name things: another one of the same shape, one to one.

Which surrogate a number gets depends on the number alone: not on its label, its layout, the patient
or the file. So tables still join, ids stay unique, and a study has one UID in DICOM, FHIR and HL7.
The policy may ask for another map for each patient (`transform.numbers`).
"""

from __future__ import annotations

import hmac
import re
import string
from itertools import islice

from incognote.core.caches import BoundedDict
from incognote.transform.draw import Dice
from incognote.transform.numbers.shapes import Shape, is_standard, shape_of
from incognote.transform.permutation import Permutation
from incognote.transform.spelling import squeeze
from incognote.transform.word_data import NUMBER_WORDS

_FILE_ENDING = re.compile(r"\.[A-Za-z]{2,4}$")
_URN = re.compile(r"urn:(?:uuid|oid):", re.IGNORECASE)
# "2.25." and a UUID in decimal digits has two dots only.
_DOTTED = re.compile(r"[0-2](?:\.\d+){3,}|2\.25\.\d+")
_MASKED = re.compile(r"[xX*#•]")
_DIGIT_WORDS = NUMBER_WORDS[:10]
_SPOKEN = re.compile(rf"\b(?:{'|'.join(_DIGIT_WORDS)}|oh)\b", re.IGNORECASE)
_MEMO = 16384
# Of 900 to 999, which is no SSN: the middle pairs that are no taxpayer's number either.
_FREE_PAIRS = (*range(1, 50), *range(66, 70), 89, 93)
_SERIALS = 9999


class Identifiers:
    """The map of numbers and codes under one key."""

    def __init__(self, key: bytes) -> None:
        self._key = hmac.digest(key, b"numbers", "sha256")
        self._permutations: BoundedDict[str, Permutation] = BoundedDict(
            f"{__name__}.permutations", _MEMO
        )
        self._memo: BoundedDict[str, str] = BoundedDict(f"{__name__}.surrogates", _MEMO)

    def __call__(self, text: str) -> str:
        """The surrogate of a number or code, in the layout and case of the original."""
        found = self._memo.get(text)
        if found is None:
            found = self._memo[text] = self._mapped(text)
        return found

    def _mapped(self, text: str) -> str:
        urn = _URN.match(text)
        lead = urn[0] if urn else ""
        body = text[len(lead) :]
        if _DOTTED.fullmatch(body):
            return text if is_standard(body) else lead + self._image(body)
        ending = _FILE_ENDING.search(body)
        tail = ending[0] if ending else ""
        body = body[: len(body) - len(tail)]
        # "OH" by itself is Ohio or a part of a code.
        said = {word.lower() for word in _SPOKEN.findall(body)} - {"oh"}
        if said and not any(map(str.isdigit, body)):
            return lead + self._spoken(body) + tail
        plain = _plain(body)
        new = self._image(plain) if plain.isascii() else self._like(plain)
        return lead + _lay_out(body, new) + tail

    def _image(self, plain: str) -> str:
        """The permuted value. Values that the walk meets on the way and that are of another shape
        (a number whose check digits happen to be right) are passed over, so it stays one to one."""
        shape = shape_of(plain)
        if shape.size == 1:  # nothing but zeros: a placeholder
            return plain
        permutation = self._permutation(shape)
        number = shape.rank(plain)
        while True:
            number = permutation(number)
            new = shape.unrank(number)
            if shape.holds(new) and shape.rank(new) == number:
                return new

    def _permutation(self, shape: Shape) -> Permutation:
        signature = shape.signature
        found = self._permutations.get(signature)
        if found is None:
            key = hmac.digest(self._key, signature.encode(), "sha256")
            found = self._permutations[signature] = Permutation(key, shape.size)
        return found

    def _like(self, plain: str) -> str:
        """Letters and digits of other scripts become ours: their number has no one to join with."""
        dice = Dice(self._key, f"other:{plain}")
        return "".join(
            str(dice.below(10)) if char.isdigit() else dice.pick(string.ascii_uppercase)
            for char in plain
        )

    def _spoken(self, body: str) -> str:
        """Digits said in words ("one oh seven two") are the digits of the surrogate in words."""
        said = [
            0 if word.lower() == "oh" else _DIGIT_WORDS.index(word.lower())
            for word in _SPOKEN.findall(body)
        ]
        new = iter(self._image("".join(map(str, said))))
        return _SPOKEN.sub(lambda _: _DIGIT_WORDS[int(next(new))], body)

    def ssn(self, text: str) -> str:
        """Never issued: 900 to 999 is no SSN, and the middle pair no taxpayer's number.

        Masked places ("xxx-xx-1234") stay masked.
        """
        digits = "".join(filter(str.isdigit, text))
        if len(digits) != 9 or _MASKED.search(text) or not digits.isascii():
            return self(text) if not _MASKED.search(text) else self._masked(text, digits)
        dice = Dice(self._key, f"ssn:{digits}")
        new = f"9{dice.below(100):02d}{dice.pick(_FREE_PAIRS):02d}{1 + dice.below(_SERIALS):04d}"
        return _fill(text, new)

    def _masked(self, text: str, digits: str) -> str:
        return _fill(text, self._image(digits)) if digits else text


def _fill(text: str, digits: str) -> str:
    source = iter(digits)
    return "".join(next(source) if char.isdigit() else char for char in text)


def _plain(text: str) -> str:
    return squeeze(text).upper()


def _lay_out(body: str, new: str) -> str:
    """The new characters in the old layout: separators and letter case as they were."""
    source = iter(new)
    small = body != body.upper() and body == body.lower()  # "3f2504e0": digits become letters
    if body.isascii():
        laid = "".join([next(source, char) if char.isalnum() else char for char in body])
        if small or body == body.upper():
            return laid.lower() if small else laid
        pairs = zip(body, laid, strict=True)
        return "".join([char.lower() if old.islower() else char for old, char in pairs])
    out = []
    for char in body:
        # One character for each, though "ß" was two when the new ones were counted.
        fresh = "".join(islice(source, len(_plain(char))))[:1]
        out.append((fresh.lower() if small or char.islower() else fresh) or char)
    return "".join(out)
