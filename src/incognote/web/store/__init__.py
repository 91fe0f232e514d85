"""What the workbench remembers: tables, migrations, and every change of them in a transaction."""
