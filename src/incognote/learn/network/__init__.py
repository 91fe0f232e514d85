"""The network itself: layers, steps, checkpoints, teachers, export."""
