"""Fifty Workers at once against a served demo: `python -m bench.workers [--seconds 60] [--workers 50] [--pause 2]`.

Four of five requests read (search, open, a shoebox, a list), one proposes a claim under its own
Idempotency-Key, every tenth sent twice. Between two calls a Worker thinks for `--pause` seconds on
average; with 0 each sends the next request at once, which measures how much two cores can carry and
not how long one waits. At the end what is stored is counted
against what was answered: a write that is lost or doubled shows. Everything runs on loopback, in a
temporary folder; the throttle is off by its setting.
"""

import argparse
import http.client
import json
import os
import random
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

READS, WRITES = 0.15, 0.5
"""The bars in seconds, for the slowest of each twenty."""
WORDS = ("boat", "tide", "clock", "tablet", "harbour", "sync", "queue", "offline", "retry", "rule")
PATIENCE = 120


@dataclass
class Seen:
    """What one Worker saw."""

    reads: list[float] = field(default_factory=list)
    writes: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    claims: set[str] = field(default_factory=set)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and fail when something failed, was lost or came twice."""
    parser = argparse.ArgumentParser(prog="python -m bench.workers", description=__doc__)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--workers", type=int, default=50)
    parser.add_argument("--pause", type=float, default=2.0, help="seconds between two calls of a Worker, on average")
    asked = parser.parse_args(arguments)
    folder, port = Path(tempfile.mkdtemp(prefix="yoimemory-bench-")), free_port()
    environment = {**os.environ, "YOIMEMORY_HOME": str(folder / "home"), "YOIMEMORY_CALLS_A_MINUTE": "0"}
    environment.pop("YOIMEMORY_TOKEN", None)
    command = [sys.executable, "-m", "yoimemory.cli"]
    server = subprocess.Popen(
        [*command, "demo", str(folder / "demo"), "--no-open", "--port", str(port)], env=environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_for(port, server)
        made = subprocess.run(
            [*command, "token", "new", "bench", "--scope", "propose", "--json"], env=environment, text=True,
            capture_output=True, check=True, timeout=PATIENCE,
        )  # fmt: skip
        return measure(port, json.loads(made.stdout)["token"], asked.workers, asked.seconds, asked.pause)
    finally:
        server.terminate()
        server.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


def measure(port: int, token: str, workers: int, seconds: int, pause: float) -> int:
    """Let the Workers loose, then count."""
    caller = Caller(port, token)
    shoebox = caller.json("GET", "/shoeboxes")["items"][0]
    evidence = caller.json("GET", "/evidence")["items"][0]
    before = {row["claim"] for row in everything(caller, "/hypotheses")}
    made = caller.json("POST", "/shoeboxes", {"question": "What do the Workers claim?", "gather": False})
    seen = [Seen() for _ in range(workers)]
    end = time.monotonic() + seconds
    threads = [
        threading.Thread(target=work, args=(number, port, token, (shoebox, made, evidence), seen[number], end, pause))
        for number in range(workers)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds + PATIENCE)
    caller = Caller(port, token)  # the first connection was idle for long, and is closed by now
    stored = [row["claim"] for row in everything(caller, "/hypotheses") if row["claim"] not in before]
    return tell(seen, stored, seconds)


def work(
    number: int, port: int, token: str, things: tuple[dict[str, Any], ...], seen: Seen, end: float, pause: float
) -> None:
    """One Worker until the time is over: it reads one shoebox and writes into another."""
    chance, caller, count = random.Random(number), Caller(port, token), 0
    shoebox, made, evidence = things
    while time.monotonic() < end:
        time.sleep(chance.uniform(0, 2 * pause))
        count += 1
        if chance.random() < 0.8:
            path = chance.choice(
                (
                    f"/search?q={chance.choice(WORDS)}+{chance.choice(WORDS)}",
                    f"/shoeboxes/{shoebox['id']}?include=items",
                    "/evidence?limit=20",
                    f"/open?ref={evidence['ref']}",
                )
            )  # fmt: skip
            status, took = caller.timed("GET", path)
            seen.reads.append(took)
            if status != http.HTTPStatus.OK:
                seen.failed.append(f"GET {path}: {status}")
        else:
            write(number, count, chance, caller, made, seen)


def write(
    number: int, count: int, chance: random.Random, caller: "Caller", shoebox: dict[str, Any], seen: Seen
) -> None:
    """Propose a claim; every tenth is sent again under its key, as a client does that lost the answer."""
    claim = f"Worker {number} says this for the time number {count}."
    for _ in range(2 if chance.random() < 0.1 else 1):
        body = {"shoebox": shoebox["ref"], "claim": claim}
        status, took = caller.timed("POST", "/hypotheses", body, key=f"bench-{number}-{count}")
        seen.writes.append(took)
        if status == http.HTTPStatus.CREATED:
            seen.claims.add(claim)
        else:
            seen.failed.append(f"POST /hypotheses: {status}")


class Caller:
    """One kept connection, opened anew where the server ended it."""

    def __init__(self, port: int, token: str) -> None:
        self._port, self._token, self._line = port, token, http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def timed(self, method: str, path: str, body: dict[str, Any] | None = None, *, key: str = "") -> tuple[int, float]:
        began = time.perf_counter()
        try:
            status, _ = self._ask(method, path, body, key)
        except (OSError, http.client.HTTPException) as error:
            self._line.close()
            print(f"{method} {path}: {error!r}", file=sys.stderr)
            status = 0
        return status, time.perf_counter() - began

    def json(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        status, text = self._ask(method, path, body, "")
        if status not in {http.HTTPStatus.OK, http.HTTPStatus.CREATED}:
            raise SystemExit(f"{method} {path} answered {status}: {text[:200]!r}")
        return json.loads(text)

    def _ask(self, method: str, path: str, body: dict[str, Any] | None, key: str) -> tuple[int, bytes]:
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        headers |= {"Idempotency-Key": key} if key else {}
        self._line.request(method, f"/api/v1{path}", json.dumps(body) if body else None, headers)
        answer = self._line.getresponse()
        return answer.status, answer.read()


def everything(caller: Caller, path: str) -> list[dict[str, Any]]:
    """All records of a list, page by page."""
    rows, cursor = [], ""
    while True:
        page = caller.json("GET", f"{path}?limit=200&cursor={cursor}")
        rows += page["items"]
        cursor = page["next_cursor"]
        if not cursor:
            return rows


def tell(seen: list[Seen], stored: list[str], seconds: int) -> int:
    """Print the figures; 1 where a request failed or a write was lost or doubled."""
    reads = [took for one in seen for took in one.reads]
    writes = [took for one in seen for took in one.writes]
    failed = [what for one in seen for what in one.failed]
    answered = {claim for one in seen for claim in one.claims}
    for name, times, bar in (("reads", reads, READS), ("writes", writes, WRITES)):
        p50, p95 = statistics.median(times), statistics.quantiles(times, n=20)[-1]
        print(
            f"{name:7}{len(times):7,} in {seconds} s, p50 {1000 * p50:5.0f} ms, p95 {1000 * p95:5.0f} ms, "
            f"{p95 / bar:.2f} of the bar"
        )
    doubled = len(stored) - len(set(stored))
    lost = len(answered - set(stored))
    print(f"failed {len(failed)}, lost {lost}, doubled {doubled}, unasked for {len(set(stored) - answered)}")
    for what in sorted(set(failed))[:10]:
        print(f"  {what}")
    return int(bool(failed or lost or doubled))


def wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    """Until the demo is built, read and served."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and server.poll() is None:
        try:
            line = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            line.request("GET", "/readyz")
            if re.search(rb'"?ready|ok', line.getresponse().read()):
                return
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(0.3)
    raise SystemExit("The demo was not served in time.")


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


if __name__ == "__main__":
    raise SystemExit(main())
