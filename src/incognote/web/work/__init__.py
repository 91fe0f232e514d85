"""Jobs and the process that does them. Files of users are parsed here, never in the server."""
