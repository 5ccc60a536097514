"""Formulas that accountants and experiments share. Each is one paper's statement, as printed."""
