"""Counts with differential privacy: public bins, noise from OpenDP, a ledger of what is spent."""
