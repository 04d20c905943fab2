"""Pages of the evidence: reading, capturing, judging."""
