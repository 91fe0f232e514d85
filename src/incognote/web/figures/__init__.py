"""Numbers and plots that the pages show: agreement, effort, what was learned, the leak bound."""
