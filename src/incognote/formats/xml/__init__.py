"""XML and C-CDA."""
