"""Event to privacy profile delta(epsilon), one file per mechanism; docs/theory.md, section 4."""
