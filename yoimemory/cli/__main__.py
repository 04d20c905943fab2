"""`python -m yoimemory.cli` is the console script."""

import sys

from yoimemory.cli import main

sys.exit(main())
