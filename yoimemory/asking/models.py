"""Words that meant something else until a date, and searches that people keep. Precious: people made them."""

from datetime import date
from typing import Self

from django.db import models
from django.db.models import F, Q

from yoimemory.access.models import Actor
from yoimemory.refs import new_id
from yoimemory.sources.models import Workspace


class AliasQuerySet(models.QuerySet["Alias"]):
    def live(self) -> Self:
        return self.filter(removed_at__isnull=True)

    def in_workspace(self, workspace: Workspace) -> Self:
        return self.filter(workspace=workspace)


class Alias(models.Model):
    """A word that meant another one, from a date or always, until a date or still."""

    WORD_MAX = 80
    NOTE_MAX = 300

    public_id = models.CharField(max_length=26, unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="aliases")
    word = models.CharField(max_length=WORD_MAX, help_text="As it stands in older texts, such as Pod.")
    meaning = models.CharField(max_length=WORD_MAX, help_text="What is said for it now, such as Worker.")
    since = models.DateField(null=True, blank=True, help_text="The first day on which it meant that; empty for always.")
    until = models.DateField(
        null=True, blank=True, help_text="The first day on which it no longer did; empty where it still does."
    )
    note = models.CharField(max_length=NOTE_MAX, blank=True, help_text="Where that was decided.")
    made_by = models.ForeignKey("access.Actor", models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    removed_at = models.DateTimeField(null=True, blank=True)

    objects = AliasQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "aliases"
        constraints = [
            models.CheckConstraint(condition=Q(word__gt="") & Q(meaning__gt=""), name="alias_has_both_words"),
            models.CheckConstraint(
                condition=Q(since__isnull=True) | Q(until__isnull=True) | Q(since__lt=F("until")),
                name="alias_begins_before_it_ends",
            ),
            models.UniqueConstraint(
                fields=["workspace", "word", "meaning"], condition=Q(removed_at__isnull=True), name="alias_once"
            ),
        ]

    def __str__(self) -> str:
        return self.told

    @property
    def told(self) -> str:
        """The alias as a sentence without its full stop."""
        begun = f" from {self.since:%Y-%m-%d}" if self.since else ""
        ended = f" until {self.until:%Y-%m-%d}" if self.until else ""
        return f"“{self.word}” {'meant' if self.until else 'means'} “{self.meaning}”{begun}{ended}"

    def held_on(self, day: date) -> bool:
        """Whether the word meant that on a day."""
        return self.had_begun(day) and (self.until is None or day < self.until)

    def had_begun(self, day: date) -> bool:
        return self.since is None or day >= self.since


class SavedSearchQuerySet(models.QuerySet["SavedSearch"]):
    def live(self) -> Self:
        return self.filter(removed_at__isnull=True)

    def seen_by(self, actor: Actor, workspace: Workspace) -> Self:
        """Those that everyone in the workspace shares, and this actor's own."""
        return self.filter(Q(shared=True) | _made_by(actor), workspace=workspace)

    def own(self, actor: Actor, workspace: Workspace) -> Self:
        return self.filter(_made_by(actor), workspace=workspace)


def _made_by(actor: Actor) -> Q:
    """What one person made, or one Worker whatever its run."""
    if actor.user_id:
        return Q(made_by__user=actor.user_id)
    return Q(made_by__token=actor.token_id) if actor.token_id else Q(made_by=actor.pk)


class SavedSearch(models.Model):
    """A search with a name, to be asked again; private to who saved it unless it is shared."""

    NAME_MAX = 120
    OWN_MAX = 200

    public_id = models.CharField(max_length=26, unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="saved_searches")
    name = models.CharField(max_length=NAME_MAX)
    asked = models.JSONField(default=dict, help_text="Words and filters, under the names that the address has.")
    shared = models.BooleanField(default=False, help_text="Whether everyone in the workspace sees it.")
    made_by = models.ForeignKey("access.Actor", models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    removed_at = models.DateTimeField(null=True, blank=True)

    objects = SavedSearchQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "saved searches"
        constraints = [models.CheckConstraint(condition=Q(name__gt=""), name="saved_search_has_name")]

    def __str__(self) -> str:
        return self.name

    @property
    def ref(self) -> str:
        """How its history names it; it is no ref that could be cited."""
        return f"saved-search {self.public_id}"
