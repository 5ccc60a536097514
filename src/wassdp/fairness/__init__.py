"""Learning under a fairness penalty: `tasks` are its problems, `measures` what the literature judges decisions by."""
