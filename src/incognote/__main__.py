"""`python -m incognote` is the command `incognote`."""

import sys

from incognote.cli import main

if __name__ == "__main__":  # worker processes import this module again
    sys.exit(main())
