"""A run as pages for a browser: what they hold, and writing them. The pages ask for nothing from anywhere."""
