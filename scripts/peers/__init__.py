"""One file for each bridge that is measured beside other packages: `PACKAGES`, `PROBE`, and `compare(ask)`, which prints."""
