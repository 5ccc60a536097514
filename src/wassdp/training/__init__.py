"""Training loops, per-example gradients, evaluation and checkpoints. Knows mechanisms, not experiments."""
