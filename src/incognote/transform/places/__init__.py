"""Surrogates of places: states, cities, ZIP codes, streets, rooms, organisations."""
