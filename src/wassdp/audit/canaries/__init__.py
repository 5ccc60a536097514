"""What a canary of a training is, one file a kind, found by listing; each offers one class derived from `Attack`."""
