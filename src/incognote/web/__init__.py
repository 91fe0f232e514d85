"""The workbench: annotate, learn, adjudicate, review and release in the browser, on one server.

flow     states, roles, spans and edits, ordering, effort: pure functions
store    tables, migrations and what may be done with them, in transactions
work     jobs and the worker process: reading files, suggestions, training, releases
http     routes, sessions, headers; `pages` are its templates, `static` its scripts and styles
"""
