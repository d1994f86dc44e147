"""What measures the bridges beside other packages: one file for each kind, with `PACKAGES` that it needs."""
