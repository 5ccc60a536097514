"""Private learning with Wasserstein distances between what a model makes of groups of records.

`engine` gives the clipped gradient of an objective (`wassdp.mechanisms.clipped_wasserstein`), `optimiser` adds
sampling, noise and account, and is used in a training loop like an optimiser of torch; `training` resumes.
"""
