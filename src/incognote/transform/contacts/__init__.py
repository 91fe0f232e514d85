"""Surrogates of contacts and numbers: phones, addresses on the net, ids."""
