"""Surrogates of people: names, roles, professions."""
