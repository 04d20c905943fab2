"""What is wrong, and how to mend it."""

import argparse
import sys
from dataclasses import asdict

from yoimemory.cli.run import DONE, say, show_json

FINDINGS, COULD_NOT_CHECK = 1, 2


def doctor(arguments: argparse.Namespace) -> int:
    """Examine the data folder without changing it: 0 healthy, 1 findings, 2 could not check."""
    from django.db import DatabaseError

    from yoimemory.desk.health import examine

    try:
        findings = examine(thorough=True)
    except (DatabaseError, OSError) as error:
        if arguments.json:
            show_json({"healthy": None, "findings": [], "error": str(error)})
        else:
            sys.stderr.write(f"The data folder could not be examined: {error}.\n")
        return COULD_NOT_CHECK
    wrong = [finding for finding in findings if finding.level == "finding"]
    if arguments.json:
        show_json({"healthy": not wrong, "findings": [asdict(finding) for finding in findings]})
    else:
        for finding in findings:
            say(
                f"{finding.level:8} {finding.check}: {finding.message}"
                + (f" {finding.remedy}" if finding.remedy else "")
            )
            say(*(f"         {ref}" for ref in finding.refs))
        say("Healthy." if not wrong else f"{len(wrong)} finding{'s' if len(wrong) > 1 else ''}.")
    return FINDINGS if wrong else DONE
