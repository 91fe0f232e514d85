"""JSON documents and JSON Lines."""
