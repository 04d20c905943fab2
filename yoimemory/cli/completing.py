"""Completion of verbs and options in the shell, from the grammar itself."""

import argparse
import sys


def script(arguments: argparse.Namespace) -> int:
    """Print what a shell runs to complete `yoimemory`."""
    from argcomplete.shell_integration import shellcode

    sys.stdout.write(shellcode(["yoimemory"], shell=arguments.shell))
    return 0
