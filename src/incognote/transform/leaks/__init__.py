"""The leak check: no original may stand in the output."""
