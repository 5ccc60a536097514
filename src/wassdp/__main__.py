"""``python -m wassdp``."""

import sys

from wassdp.pipeline.handover import handed_over

if __name__ == "__main__":
    code = handed_over(sys.argv[1:])
    if code is None:
        from wassdp.cli import main  # loads what a job that is handed over does not need

        code = main()
    sys.exit(code)
