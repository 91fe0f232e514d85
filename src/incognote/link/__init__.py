"""From spans to people: who is meant by each mention of a name.

`link` is pure: the same document and spans give the same people, whatever came before.
"""

from incognote.link.labels import PEOPLE
from incognote.link.linking import Linked, LinkRules, link, people_in

__all__ = ["PEOPLE", "LinkRules", "Linked", "link", "people_in"]
