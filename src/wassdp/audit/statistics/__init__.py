"""From the scores of two worlds, or of canaries, to a bound with its confidence: one file for each statistic."""
