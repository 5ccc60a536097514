"""``python -m wassdp``."""

import sys

from wassdp.cli import main

if __name__ == "__main__":
    sys.exit(main())
