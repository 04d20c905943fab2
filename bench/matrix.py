"""How long a matrix of 200 pieces of evidence by 10 hypotheses takes to render: `python -m bench.matrix`.

Everything is made in databases of its own, which are removed at the end. The page is asked for
as the browser asks, without the network between; CPU time is told beside the time on the clock.
"""

import os
import random
import shutil
import statistics
import tempfile
import time
from pathlib import Path

EVIDENCE, HYPOTHESES, RATERS, ROUNDS = 200, 10, 1, 7
BAR = 0.3


def main() -> int:
    """Measure and print one row per page."""
    folder = Path(tempfile.mkdtemp(prefix="yoimemory-bench-"))
    try:
        os.environ["YOIMEMORY_HOME"] = str(folder)
        from bench.run import set_up

        set_up()
        measure()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


def measure() -> None:
    """Print the median of several requests for the matrix and for what its lead rests on."""
    from django.test import Client
    from django.urls import reverse

    shoebox, user = make_matrix()
    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(user)
    print(f"{EVIDENCE} pieces of evidence x {HYPOTHESES} hypotheses, rated by {RATERS}: median of {ROUNDS}")
    for name in ("matrix", "sensitivity"):
        path = reverse(f"hypotheses:{name}", args=[shoebox.public_id])
        clock, work = [], []
        for _ in range(ROUNDS):
            begun, busy = time.perf_counter(), time.process_time()
            answer = client.get(path)
            clock.append(time.perf_counter() - begun)
            work.append(time.process_time() - busy)
            assert answer.status_code == 200, answer.status_code
        took, cpu = statistics.median(clock), statistics.median(work)
        print(
            f"{name:12} {1000 * took:6.0f} ms on the clock, {1000 * cpu:6.0f} ms of work, {took / BAR:.2f} of the bar"
        )


def make_matrix():  # type: ignore[no-untyped-def]
    """A shoebox with rated evidence, and somebody who may look at it."""
    from evidence.models import Evidence
    from hypotheses.models import Hypothesis, Rating
    from hypotheses.services.rating import claim_digest, words_digest
    from tests.factories import NOON, make_evidence, make_hypothesis, make_owner, make_person, make_shoebox

    chance, shoebox = random.Random(7), make_shoebox()
    claims = [make_hypothesis(shoebox, claim=f"Claim {number} of several.") for number in range(HYPOTHESES)]
    pieces = [
        make_evidence(shoebox, quote=f"Line {number} of what was said.", state=Evidence.State.ACCEPTED)
        for number in range(EVIDENCE)
    ]
    raters = [make_person(shoebox.workspace, name=f"rater-{number}") for number in range(RATERS)]
    values = list(Rating.Value.values)
    Rating.objects.bulk_create(
        Rating(
            hypothesis=claim,
            evidence=piece,
            rater=rater,
            value=chance.choice(values),
            rated_at=NOON,
            words_digest=words_digest(piece),
            claim_digest=claim_digest(claim),
            anchor_state="verified",
        )
        for claim in claims
        for piece in pieces
        for rater in raters
    )
    assert Hypothesis.objects.count() == HYPOTHESES
    return shoebox, make_owner().user


if __name__ == "__main__":
    raise SystemExit(main())
