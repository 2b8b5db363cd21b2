"""What a run is told: every setting, where its value comes from, and what of it can be refused at once."""
