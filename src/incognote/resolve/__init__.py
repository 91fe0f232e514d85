"""From candidates to spans: votes, overlaps, filters, repetitions."""
