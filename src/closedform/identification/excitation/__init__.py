"""Excitation: motions from which the base parameters can be identified well."""
