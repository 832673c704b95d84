"""Adds a file to a store and prints each id once it is acknowledged (for the kill test)."""

import sys

from toolkit.config import RunConfig
from toolkit.store.add import add_documents

if __name__ == "__main__":
    for row in add_documents(sys.argv[1], sys.argv[2], RunConfig(), batch=8):
        sys.stdout.write(row["id"] + "\n")
        sys.stdout.flush()
