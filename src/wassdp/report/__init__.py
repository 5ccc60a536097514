"""Figures and tables: data frame in, file out."""
