"""The way from a log to a robot: its steps, its doubts and its result."""
