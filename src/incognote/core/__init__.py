"""The nouns of incognote. Standard library only."""
