"""The database of a site: connections, its schema, backups."""
