"""PDF: text, forms, metadata, strings of any object."""
