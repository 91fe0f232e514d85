"""What people do, and devices, signs and diseases that are named after them do not."""

from __future__ import annotations

# What people do and have done to them, behind a name that begins a sentence.
DOES = frozenset(
    """
    is was has had will would says said states stated reports reported denies denied and agrees
    agreed calls called asks asked wants wanted came went lives lived works worked did does died
    seen who whose presents presented returns returned verbalized continues also can could may
    should needs takes took to at by with for on in from about saw sees arrived arrives
    """.split()
)
# What only people do.
HUMAN = frozenset(
    """
    says said states stated reports reported denies denied agrees agreed asks asked wants wanted
    thinks thought feels felt lives calls called works verbalizes verbalized refuses refused tells
    told cried cries jokes joked worries worried visits visited thanks thanked admits admitted
    pronounced notified prayed prays smokes drinks sleeps eats ate slept tolerated drove drives
    brought brings signed changed dictated flushed teaches taught translated interprets declines
    declined endorses endorsed complains complained describes described recalls requests requested
    speaks spoke answered hopes understands lost gained who paged updated informed accepts accepted
    smiles smiled laughs laughed married sat sits stood phoned phones texted emailed quit walks
    ambulates aware prefers preferred remembers presented helped
    """.split()
)
# Verbs that never follow a device or sign named after a person: "Hardy paged", not "Foley changed".
OF_PEOPLE = frozenset(
    """
    says said states stated agrees agreed asks asked wants wanted thinks thought feels felt called
    calls phoned phones texted emailed paged notified informed aware told tells cried cries joked
    prays prayed smokes drinks sleeps slept lives drove smiles smiled laughed laughs hopes prefers
    preferred remembers recalls
    """.split()
)
