"""Event to privacy profile delta(epsilon), one file per mechanism (THEORY 2)."""
