"""Attacks on whole trainings, one file each."""
