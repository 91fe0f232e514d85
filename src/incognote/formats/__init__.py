"""File formats: each module reads and writes one of them."""
