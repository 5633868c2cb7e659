"""Exciting motions: those from which the base parameters can be identified well."""
