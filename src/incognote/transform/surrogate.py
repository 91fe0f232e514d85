"""The surrogate transform: for each label the generator that makes its realistic replacements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from incognote.core.errors import TransformError
from incognote.core.labels import label as label_row
from incognote.transform.contacts import addresses as contacts
from incognote.transform.contacts import phones
from incognote.transform.dates import ages
from incognote.transform.dates import shift as dates
from incognote.transform.dates.times import clock_time
from incognote.transform.masks import simple as masks
from incognote.transform.numbers import ids
from incognote.transform.people import names as people
from incognote.transform.people import professions
from incognote.transform.places import geography as places
from incognote.transform.places import landmarks, organisations, rooms, streets
from incognote.transform.record import CALENDAR, Mention, TransformRecord
from incognote.transform.spelling import squeeze

Generator = Callable[[Mention, TransformRecord], str]

GENERATORS: dict[str, tuple[Generator, str]] = {
    "PATIENT": (people.name, "another name of the same form, sex and origin"),
    "DOCTOR": (people.name, "another name of the same form, sex and origin"),
    "INITIALS": (people.name, "other initials, those of the surrogate name"),
    "USERNAME": (contacts.username, "another user name, made from the surrogate name"),
    "PROFESSION": (professions.profession, "another job"),
    "HOSPITAL": (organisations.organisation, "another name of the same kind and length"),
    "ORGANIZATION": (organisations.organisation, "another name of the same kind and length"),
    "ROOM": (rooms.room, "another room or unit"),
    "STREET": (streets.street, "another street, number and unit in the same form"),
    "CITY": (places.city, "another city, in the surrogate state"),
    "STATE": (places.state, "another state, written in the same way"),
    "COUNTRY": (places.country, "another country or nationality"),
    "ZIP": (places.zip_code, "a ZIP code of the surrogate city"),
    "LOCATION-OTHER": (landmarks.other_place, "another place of the same kind"),
    "AGE": (lambda m, r: ages.Age90("AGE").replace(m, r), ages.Age90("AGE").explain()),
    "DATE": (dates.shifted, "shifted by a secret number of days, intervals and form kept"),
    "TIME": (clock_time, "moved by a secret number of minutes"),
    "PHONE": (phones.phone, "a number with an area code of the surrogate state"),
    "FAX": (phones.phone, "a number with an area code of the surrogate state"),
    "EMAIL": (contacts.email, "an address under the reserved domain .example"),
    "URL": (contacts.url, "an address under the reserved domain .example"),
    "IPADDR": (contacts.ip_address, "an address of a range that is assigned to nobody"),
    "MAC": (contacts.mac_address, "a locally administered address, assigned to nobody"),
    "SSN": (ids.ssn, "a number from a range that is never issued"),
    "COORDINATES": (streets.coordinates, "another point, about as precise"),
}
_IDS = (ids.identifier, "another value of the same shape, one to one; check digits stay valid")


@dataclass(frozen=True, slots=True)
class Surrogate:
    """A realistic replacement, the same for the same value everywhere in the scope."""

    label: str
    labels: ClassVar[frozenset[str]] = frozenset()

    def replace(self, mention: Mention, record: TransformRecord) -> str:
        if any(map(str.isalnum, mention.text)):
            try:
                new = self._row[0](mention, record)
            except TransformError:
                new = mention.text
            if new != mention.text or self.label in CALENDAR or squeeze(new) in record.chosen:
                return new
        # "___", or a value whose every likeness is taken: there is nothing left to imitate.
        return masks.Tag(self.label).replace(mention, record)

    def explain(self) -> str:
        if self.label in ("AGE", "DATE", "TIME"):
            return self._row[1]
        return f"replaced by {self._row[1]}"

    @property
    def _row(self) -> tuple[Generator, str]:
        row = GENERATORS.get(self.label)
        if row is not None:
            return row
        if label_row(self.label).category == "ID":
            return _IDS
        # Traits and codes have no surrogates that would not be wrong facts about the patient.
        tag = masks.Tag(self.label)
        return tag.replace, tag.explain().removeprefix("replaced by ")
