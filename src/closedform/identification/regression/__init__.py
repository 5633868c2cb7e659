"""Regression: the rows of a log, the parameters as columns, and the least squares of both."""
