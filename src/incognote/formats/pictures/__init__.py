"""Pictures: text recognised in pixels, metadata, compressed streams."""
