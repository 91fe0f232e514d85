"""The leak check: no original may appear in the output."""
