"""fingerprints."""
