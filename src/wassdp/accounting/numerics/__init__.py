"""Composition on lattices, searches and brackets, each error bounded and taken upward."""
