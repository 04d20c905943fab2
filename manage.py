#!/usr/bin/env python
"""Django's own command line, for migrations and the shell; people use `yoimemory`."""

import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "yoimemory.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)
