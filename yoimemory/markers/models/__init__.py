"""What people say of any ref: markers, contradictions, how far a source is trusted, what two people look at."""

from yoimemory.markers.models.contradictions import Contradiction
from yoimemory.markers.models.looks import Look, SecondLook
from yoimemory.markers.models.markers import Marker, MarkerQuerySet
from yoimemory.markers.models.reliability import Reliability

__all__ = ["Contradiction", "Look", "Marker", "MarkerQuerySet", "Reliability", "SecondLook"]
