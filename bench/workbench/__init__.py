"""How fast the workbench is, how many people it bears, what suggestions and orderings save."""
