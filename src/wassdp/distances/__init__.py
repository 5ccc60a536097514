"""Wasserstein distances in one dimension and sliced ones, exact, batched and differentiable. Imports torch.

Nothing here is private: a distance of private data belongs behind a mechanism (`wassdp.mechanisms`),
whose release carries the event that an accountant needs.
"""
