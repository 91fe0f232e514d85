"""The server: routes, sessions, headers. It parses no files and logs no text."""
