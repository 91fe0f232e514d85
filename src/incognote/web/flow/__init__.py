"""The rules of the workbench as pure functions: no framework, no database, no clock."""
