"""What similar older work points at: the files that its commits changed, the tickets that it cites.

Text alone does not lead from a Japanese ticket to the code it is about; the links that readers
found do. The tickets most like the query vote, each with as much as it is like it, shared among
what it points at. Only what was known by then counts, so that an answer as of an instant is no
hindsight. A file that was renamed since is followed to its present name.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from yoimemory.search.backends import links

VOTERS = 20
FILES_WEIGHT = 0.8
TICKETS_WEIGHT = 0.3
NAMED_MAX = 2
"""A commit that names more tickets than this is a merge of many works and says nothing of one."""
FILES_MAX = 60
RENAMES_MAX = 5
"""How often a file may have been renamed on the way to its present name."""


@dataclass(frozen=True, slots=True)
class Vote:
    """How much is to be added to the score of a source, and which ticket moved most of it."""

    weight: float
    voter: str


def votes_for(
    workspace: str, tickets: Sequence[tuple[int, float]], *, before: datetime | None, exclude: Iterable[str] = ()
) -> dict[int, Vote]:
    """Votes by the pk of the document that stands for a source. `tickets` are (pk, score), best first."""
    barred = set(exclude)
    known = {pk: (source, at) for pk, source, at in links.dated_sources([pk for pk, _ in tickets])}
    older = [
        (known[pk][0], score)
        for pk, score in tickets
        if pk in known and known[pk][0] not in barred and _by_then(known[pk][1], before)
    ][:VOTERS]
    if not older:
        return {}
    best = older[0][1] or 1.0
    voters = {source: score / best for source, score in older}
    pointed = links.targets_of(workspace, list(voters), kinds=("commit", "ticket"))
    files = _tally(voters, _changed_files(workspace, list(voters), pointed, before))
    cited = _tally(voters, _cited_tickets(pointed))
    for source in barred:
        cited.pop(source, None)
    votes: dict[int, Vote] = {}
    there = (
        (files, FILES_WEIGHT, links.wholes_of(workspace, list(files), column="ref")),
        (cited, TICKETS_WEIGHT, links.wholes_of(workspace, list(cited), column="source")),
    )
    for tally, share, documents in there:
        most = max((weight for weight, _ in tally.values()), default=1.0)
        for ref, whole in documents:
            weight, voter = tally[ref]
            votes[whole] = Vote(share * weight / most, voter)
    return votes


def _by_then(at: datetime | None, before: datetime | None) -> bool:
    return before is None or (at is not None and at < before)


def _tally(voters: dict[str, float], targets: dict[str, set[str]]) -> dict[str, tuple[float, str]]:
    """Add up the votes for each target, and remember who gave it most."""
    weights: dict[str, float] = defaultdict(float)
    most: dict[str, tuple[float, str]] = {}
    for voter, worth in voters.items():
        own = targets.get(voter, set())
        for target in own:
            share = worth / len(own) ** 0.5
            weights[target] += share
            most[target] = max(most.get(target, (0.0, "")), (share, voter))
    return {target: (weight, most[target][1]) for target, weight in weights.items()}


def _changed_files(
    workspace: str, tickets: list[str], pointed: Sequence[tuple[str, str]], before: datetime | None
) -> dict[str, set[str]]:
    """The files that the commits of each ticket changed: those that name it, and those that its records cite."""
    commits: dict[str, set[str]] = defaultdict(set)
    for commit, ticket, named in links.commits_naming(workspace, tickets):
        if named <= NAMED_MAX:
            commits[commit].add(ticket)
    for ticket, target in pointed:
        if target.startswith("commit:"):
            commits[target].add(ticket)
    touches: dict[str, set[str]] = defaultdict(set)
    for commit, at, target in links.files_touched(workspace, list(commits)):
        if _by_then(at, before):
            touches[commit].add(target)
    touches = {commit: files for commit, files in touches.items() if len(files) <= FILES_MAX}
    names = present_names(workspace, {target for files in touches.values() for target in files})
    found: dict[str, set[str]] = defaultdict(set)
    for commit, files in touches.items():
        for ticket in commits[commit]:
            found[ticket] |= {names[target] for target in files if target in names}
    return found


def present_names(workspace: str, targets: set[str]) -> dict[str, str]:
    """For each file that was ever called so, what it is called now; those that are gone are left out."""
    names = {target: target for target in targets}
    there: set[str] = set()
    for _ in range(RENAMES_MAX):
        there |= links.refs_there(workspace, [now for now in names.values() if now not in there])
        gone = {now for now in names.values() if now not in there}
        later = links.renamed(workspace, list(gone)) if gone else {}
        if not later:
            break
        names = {target: later.get(now, now) if now in gone else now for target, now in names.items()}
    return {target: now for target, now in names.items() if now in there}


def _cited_tickets(pointed: Sequence[tuple[str, str]]) -> dict[str, set[str]]:
    """The tickets that each of these points at."""
    found: dict[str, set[str]] = defaultdict(set)
    for source, target in pointed:
        if target != source and target.startswith("ticket:"):
            found[source].add(target)
    return found
