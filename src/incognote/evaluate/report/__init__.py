"""The report of a measurement: HTML page, plots, style."""
