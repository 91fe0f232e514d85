"""Training notes made from notes: new names, noise, other surfaces."""
