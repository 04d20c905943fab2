"""The matrix of one shoebox, read from its records: claims, evidence, every rating, and what asks to be rated again."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from evidence.lineage import lineages_of
from evidence.models import Evidence, Placement
from evidence.standing import Standing, is_later, standings
from hypotheses.basis import labels_of
from hypotheses.matrix import Column, Mark, Matrix
from hypotheses.models import Hypothesis, Rating
from hypotheses.services.rating import claim_digest, words_digest
from shoebox.models import Shoebox
from yoimemory.access.models import Actor
from yoimemory.refs import SourceRef

"""Anchor states in which the words still stand as they were rated."""

ASSUMED = frozenset({Evidence.Basis.DEDUCED, Evidence.Basis.INDUCED, Evidence.Basis.RECALLED})
CAPTION_MAX = 40
ID_SHOWN = 5
"""The end of a ticket's id tells tickets of one time apart; its beginning is the same for all of them."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of evidence as a column."""

    key: str
    label: str
    evidence: Evidence
    standing: Standing

    @property
    def later(self) -> bool:
        return is_later(self.evidence)

    @property
    def place(self) -> str:
        """Where it stands, short enough for the head of a column."""
        ref = SourceRef.parse(self.evidence.place)
        head, _, part = ref.locator.partition("/")
        if ref.kind in {"doc", "code"}:
            name = ref.locator.rsplit("/", 1)[-1].rsplit(".", 1)[0]
        elif len(head) > ID_SHOWN:
            name = head[-ID_SHOWN:] if ref.kind in {"ticket", "objective"} else head[: ID_SHOWN + 3]
        else:
            name = head
        line = f"L{self.standing.line}" if self.standing.line else ""
        part = part.rsplit("/", 1)[-1] if ref.kind not in {"doc", "code"} else ""
        return " ".join(word for word in (ref.kind, name, part, line) if word)

    @property
    def caption(self) -> str:
        words = " ".join((self.evidence.quote or self.evidence.summary).split())
        return words if len(words) <= CAPTION_MAX else words[: CAPTION_MAX - 1].rstrip() + "…"


@dataclass(frozen=True, slots=True)
class Rated:
    """One rating with what has changed since it was given."""

    rating: Rating
    recheck: list[str]


@dataclass(frozen=True)
class Grid:
    """The records behind a matrix, and the matrix itself. Keys are public ids."""

    shoebox: Shoebox
    hypotheses: list[Hypothesis]
    pieces: list[Piece]
    rated: dict[tuple[str, str], list[Rated]]
    matrix: Matrix
    workers: bool

    @classmethod
    def of(cls, shoebox: Shoebox, *, workers: bool = False) -> "Grid":
        """Read the matrix of a shoebox in a fixed number of queries; Workers' ratings are counted on request."""
        rows = shoebox.hypotheses.exclude(status=Hypothesis.Status.SUPERSEDED)
        hypotheses = list(rows.select_related("made_by").order_by("number"))
        evidences = list(
            Evidence.objects.in_shoebox(shoebox).current().select_related("shoebox", "made_by").order_by("pk")
        )
        stands, labels = standings(evidences), labels_of(evidences)
        pieces = [Piece(one.public_id, labels[one.pk], one, stands[one.pk]) for one in evidences]
        rated = _rated(hypotheses, pieces)
        marks = [
            Mark(claim, evidence, one.rating.value, str(one.rating.rater), worker=one.rating.rater.is_worker)
            for (claim, evidence), found in rated.items()
            for one in found
        ]
        # Copies and renames are one source: what independence counts is the lineage, not the address.
        lineage = lineages_of(evidences)
        columns = [Column(piece.key, lineage[piece.evidence.pk], counts=not piece.later) for piece in pieces]
        matrix = Matrix.of([one.public_id for one in hypotheses], columns, marks, workers=workers)
        return cls(shoebox, hypotheses, pieces, rated, matrix, workers)

    @property
    def sources(self) -> set[str]:
        return {piece.evidence.source for piece in self.pieces}

    def groups(self) -> dict[str, list[str]]:
        """What may be left out together: a source, an extractor, the drifted, the unreviewed, the assumed."""
        by_source, by_maker = defaultdict(list), defaultdict(list)
        for piece in self.pieces:
            by_source[piece.evidence.source].append(piece.key)
            by_maker[str(piece.evidence.made_by)].append(piece.key)
        groups = {f"source {source}": keys for source, keys in by_source.items() if len(keys) > 1}
        if len(by_maker) > 1:
            groups |= {f"everything from {maker}": keys for maker, keys in by_maker.items()}
        groups["everything drifted"] = self._keys(
            piece for piece in self.pieces if piece.standing.state in Placement.DRIFTED
        )
        groups["everything unreviewed"] = self._keys(
            piece for piece in self.pieces if piece.evidence.state != Evidence.State.ACCEPTED
        )
        groups["everything assumed: no quote, or deduced, induced, recalled"] = self._keys(
            piece
            for piece in self.pieces
            if piece.evidence.kind != Evidence.Kind.QUOTE or piece.evidence.basis in ASSUMED
        )
        return {label: keys for label, keys in groups.items() if keys}

    @staticmethod
    def _keys(pieces: Iterable[Piece]) -> list[str]:
        return [piece.key for piece in pieces]


def _rated(hypotheses: list[Hypothesis], pieces: list[Piece]) -> dict[tuple[str, str], list[Rated]]:
    """Every rating by claim and evidence. Digests and raters are looked up once, since there may be thousands."""
    claims = {one.pk: (one, claim_digest(one)) for one in hypotheses}
    known = {piece.evidence.pk: (piece, words_digest(piece.evidence)) for piece in pieces}
    ratings = list(Rating.objects.filter(hypothesis__in=list(claims), evidence__in=list(known)).order_by("pk"))
    raters = Actor.objects.in_bulk({rating.rater_id for rating in ratings})
    found: dict[tuple[str, str], list[Rated]] = defaultdict(list)
    for rating in ratings:
        rating.rater = raters[rating.rater_id]
        (piece, words), (hypothesis, claim) = known[rating.evidence_id], claims[rating.hypothesis_id]
        found[hypothesis.public_id, piece.key].append(Rated(rating, _recheck(rating, piece, words=words, claim=claim)))
    return found


def _recheck(rating: Rating, piece: Piece, *, words: str, claim: str) -> list[str]:
    """What has changed since a rating was given; the rating is kept."""
    reasons = []
    if rating.claim_digest != claim:
        reasons.append("the claim was reworded")
    if rating.words_digest != words:
        reasons.append("the words about the evidence changed")
    if piece.standing.state in Placement.DRIFTED and piece.standing.state != rating.anchor_state:
        reasons.append(f"the quote is {piece.standing.state.replace('-', ', ')} now")
    return reasons
