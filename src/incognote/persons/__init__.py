"""People out of notes: mentions with their subject, links between notes, a row for each person.

from incognote import persons

view = persons.read_people("notes/", settings, key)
view.table()
"""

from incognote.persons.mentions import Mention
from incognote.persons.reading import read_people
from incognote.persons.view import Note, Person, View, build, read_view, write_view
from incognote.persons.write_back import ReleasedValues

__all__ = [
    "Mention",
    "Note",
    "Person",
    "ReleasedValues",
    "View",
    "build",
    "read_people",
    "read_view",
    "write_view",
]
