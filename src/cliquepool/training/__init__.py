"""Training: the loop over epochs, checkpoints, the optimiser, device and precision."""
