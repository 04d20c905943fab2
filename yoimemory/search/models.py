"""The index: documents, passages and links as they were read. Derived; may be deleted and rebuilt at any time.

Workspaces are named by their public id, since no foreign key leads from here into the other database.
The full-text tables stand beside these in `backends/`, written in the same transaction.
"""

from django.db import models
from django.db.models import Case, Value, When
from django.db.models.functions import Concat, Left
from django.db.models.lookups import Exact, In

from yoimemory.search.packing import BriefJSON, PackedTextField
from yoimemory.sources.reading import OUTSIDE


class Position(models.Model):
    """Where the index of one workspace stands. `commit` moves only when everything of a run is in."""

    workspace = models.CharField(max_length=26, unique=True)
    commit = models.CharField(max_length=64, blank=True)
    branch = models.CharField(max_length=300, blank=True)
    dirty = models.BooleanField(default=False)
    revision = models.CharField(max_length=64, blank=True, help_text="Set when a commit was indexed, not the tree.")
    started_at = models.DateTimeField(null=True)
    beat_at = models.DateTimeField(null=True, help_text="Last sign of life of the run that is under way.")
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    indexed_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.workspace} at {self.commit[:8]}"


class Unit(models.Model):
    """What was read as a whole, with the fingerprint it had then."""

    workspace = models.CharField(max_length=26)
    key = models.CharField(max_length=2_100)
    reader = models.CharField(max_length=40)
    fingerprint = models.CharField(max_length=200)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "key"], name="unit_once")]

    def __str__(self) -> str:
        return self.key


class Document(models.Model):
    """One readable thing. See `sources.reading.Document` for the meaning of the fields.

    `whole` is the document that stands for its source: the item of a ticket, the file itself. It
    is the row under which the source as a whole is found, and the parts of a ticket point at it.
    """

    workspace = models.CharField(max_length=26)
    unit = models.ForeignKey(Unit, models.CASCADE, related_name="documents")
    whole = models.BigIntegerField(help_text="The pk of the document that stands for its source.")
    ref = models.CharField(max_length=2_100)
    source = models.CharField(max_length=2_100, help_text="The ref of the whole source that it belongs to.")
    kind = models.CharField(max_length=12)
    title = models.TextField(blank=True)
    path = models.CharField(max_length=2_100, blank=True)
    authority = models.CharField(max_length=10)
    author = models.CharField(max_length=200, blank=True)
    at = models.DateTimeField(null=True)
    revision = models.CharField(max_length=80, blank=True)
    uncommitted = models.BooleanField(default=False)
    lossy = models.BooleanField(default=False)
    language = models.CharField(max_length=10, blank=True)
    state = models.CharField(max_length=40, blank=True, help_text="State of a ticket, objective or memory record.")
    digest = models.CharField(max_length=64)
    size = models.PositiveIntegerField(default=0, help_text="Characters of the text.")
    facts = models.JSONField(default=dict, encoder=BriefJSON)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "ref"], name="document_once")]
        indexes = [
            models.Index(fields=["source"], name="document_source"),
            models.Index(fields=["kind", "at"], name="document_kind_at"),
            models.Index(fields=["path"], name="document_path"),
        ]

    def __str__(self) -> str:
        return self.ref

    @property
    def is_pending(self) -> bool:
        """Whether a commit could have these bytes and none has."""
        return self.uncommitted and OUTSIDE not in self.facts.get("notes", ())


class Passage(models.Model):
    """An addressable part of a document, verbatim.

    The pk is not counted up: it is the document's pk and the ordinal in one number (`pk_of`), so that a row
    of the full-text table tells its document without a look at this table. The text stands last,
    so that reading the columns before it never follows a long row over its pages.
    """

    NEAR_BITS, FAR_BITS, FAR = 7, 14, 1 << 48
    """The words of the index name passages by the distance from one to the next, so the first 128 of each
    document stand near those of the next; what a longer one has beyond stands far behind all of these."""

    id = models.BigAutoField(primary_key=True)
    document = models.ForeignKey(Document, models.CASCADE, related_name="passages")
    ordinal = models.PositiveIntegerField()
    fragment = models.CharField(max_length=300)
    start_line = models.PositiveIntegerField()
    end_line = models.PositiveIntegerField()
    speaker = models.CharField(max_length=10, blank=True)
    author = models.CharField(max_length=200, blank=True)
    at = models.DateTimeField(null=True)
    signals = models.CharField(max_length=200, blank=True, help_text="Words, separated by spaces.")
    heading = models.TextField(blank=True)
    text = PackedTextField()

    def __str__(self) -> str:
        return f"{self.document_id}#{self.fragment}"

    @classmethod
    def pk_of(cls, document: int, ordinal: int) -> int:
        """The pk of a passage by its document's and by its place there, from 0."""
        if ordinal < 1 << cls.NEAR_BITS:
            return document << cls.NEAR_BITS | ordinal
        return cls.FAR + (document << cls.FAR_BITS | ordinal)

    @classmethod
    def spans_of(cls, document: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """First and last pk that passages of a document can have: of those near, and of those far behind."""
        near, far = document << cls.NEAR_BITS, cls.FAR + (document << cls.FAR_BITS)
        return (near, near + (1 << cls.NEAR_BITS) - 1), (far, far + (1 << cls.FAR_BITS) - 1)


class Link(models.Model):
    """Something that a document points at.

    There are many, and most of `target` is `target_source`, so only the rest is kept of it (a diff
    belongs to its commit and is kept whole).
    """

    document = models.ForeignKey(Document, models.CASCADE, related_name="links")
    kind = models.CharField(max_length=14)
    target_source = models.CharField(max_length=2_100)
    rest = models.CharField(max_length=2_100, blank=True, help_text="What follows the source in the target.")
    target = models.GeneratedField(
        expression=Case(
            When(Exact(Left("rest", 1), Value("")), then="target_source"),
            When(In(Left("rest", 1), ["/", "#"]), then=Concat("target_source", "rest")),
            default="rest",
        ),
        output_field=models.CharField(max_length=2_100, help_text="A ref without revision."),
        db_persist=False,
    )
    where = models.CharField(max_length=300, blank=True)
    note = models.TextField(blank=True)
    at = models.DateTimeField(null=True, help_text="Empty in a commit, whose links all have its date.")

    class Meta:
        indexes = [models.Index(fields=["target_source"], name="link_target")]

    def __str__(self) -> str:
        return f"{self.kind} {self.target}"


class Unreadable(models.Model):
    """A record that could not be read whole; listed with path, line and reason."""

    unit = models.ForeignKey(Unit, models.CASCADE, related_name="unreadable")
    workspace = models.CharField(max_length=26, db_index=True)
    path = models.CharField(max_length=2_100)
    line = models.PositiveIntegerField(null=True)
    reason = models.TextField()

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"
