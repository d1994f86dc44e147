"""Comparisons of bridges with other packages: one file for each kind, with the `PACKAGES` that it needs."""
