"""Evidence as W3C Web Annotations, and annotations read as drafts. Both ways the words keep their proof.

The selectors say where the words stand (quote with context, and position), the state says at which
revision of the source; what we say about the words is a body each, with its author and its purpose.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote

from evidence.models import Evidence
from evidence.schemas import EvidenceDraft, EvidenceOut
from yoimemory.errors import BadInput
from yoimemory.refs import SourceRef

CONTEXT = "http://www.w3.org/ns/anno.jsonld"
OUR_TERMS = {"yoimemory": "urn:yoimemory:terms:"}
SOURCE, RECORD = "urn:yoimemory:source:", "urn:yoimemory:record:"
ANNOTATIONS_MAX, DEPTH_MAX = 100, 4
FILE_MAX = 10_000
"""Annotations of one file; it is taken in piece by piece."""
PURPOSES = {"summary": "describing", "inference": "commenting", "why": "assessing"}
FIELDS = {purpose: name for name, purpose in PURPOSES.items()}


class NotAnAnnotation(BadInput):
    """The JSON holds no Web Annotation that could be read."""


@dataclass(slots=True)
class Read:
    """What was read: a draft for each annotation, and where each came from."""

    drafts: list[EvidenceDraft] = field(default_factory=list)
    origins: list[dict[str, Any]] = field(default_factory=list)


def to_annotation(out: EvidenceOut) -> dict[str, Any]:
    """One piece of evidence as a Web Annotation."""
    place = SourceRef.parse(out.source_ref)
    target: dict[str, Any] = {"source": iri_of(place.bare), "state": _state(out, place)}
    if out.quote:
        target["selector"] = [
            {"type": "TextQuoteSelector", "exact": out.quote, "prefix": out.anchor.prefix, "suffix": out.anchor.suffix},
            {"type": "TextPositionSelector", "start": out.anchor.start, "end": out.anchor.end},
        ]
    return {
        "@context": [CONTEXT, OUR_TERMS],
        "id": RECORD + quote(out.ref, safe=":"),
        "type": "Annotation",
        "motivation": "assessing" if out.relations else "highlighting",
        "created": out.made_at.isoformat(),
        "creator": _agent(out),
        "generator": {"type": "Software", "name": "yoimemory"},
        "body": [*_bodies(out), *_relations(out)],
        "target": target,
        "yoimemory:state": out.state,
        "yoimemory:kind": out.kind,
        "yoimemory:anchorState": out.anchor_state,
        "yoimemory:caveats": list(out.caveats),
        "yoimemory:textDigest": f"sha256:{out.anchor.text_digest}" if out.anchor.text_digest else "",
    }


def page_of_annotations(outs: Sequence[EvidenceOut], *, total: int, next_cursor: str) -> dict[str, Any]:
    """Several as one page; `next_cursor` leads on."""
    items = [{name: value for name, value in to_annotation(out).items() if name != "@context"} for out in outs]
    return {
        "@context": [CONTEXT, OUR_TERMS],
        "type": "AnnotationPage",
        "partOf": {"type": "AnnotationCollection", "total": total},
        "items": items,
        "yoimemory:nextCursor": next_cursor,
    }


def file_of_annotations(several: Iterable[Sequence[EvidenceOut]], *, total: int) -> Iterator[str]:
    """The text of a file of them, piece by piece, so that there may be any number."""
    head = {
        "@context": [CONTEXT, OUR_TERMS], "type": "AnnotationPage",
        "partOf": {"type": "AnnotationCollection", "total": total}, "items": [],
    }  # fmt: skip
    yield json.dumps(head).removesuffix("]}")
    between = "\n"
    for outs in several:
        for out in outs:
            item = {name: value for name, value in to_annotation(out).items() if name != "@context"}
            yield between + json.dumps(item, ensure_ascii=True)
            between = ",\n"
    yield "\n]}\n"


def read_annotations(given: Any, *, at_most: int = ANNOTATIONS_MAX) -> Read:
    """The drafts that annotations make: one, a list, a page or a collection, as JSON text or as read from it.

    Nothing of them is taken for proved: their words pass the gate like everybody's. Raises NotAnAnnotation.
    """
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError) as error:
            raise NotAnAnnotation("This is not JSON.", hint="Send the annotations as they were exported.") from error
    read = Read()
    for each in _each(given, DEPTH_MAX, at_most):
        if len(read.drafts) >= at_most:
            raise NotAnAnnotation(f"At most {at_most:,} annotations are taken in at once.")
        read.drafts.append(_draft(each))
        read.origins.append(_origin(each))
    if not read.drafts:
        raise NotAnAnnotation("There is no Web Annotation in this JSON.", hint="Each has the type Annotation.")
    return read


def iri_of(source: SourceRef) -> str:
    """The address of a source of ours as an IRI."""
    return SOURCE + quote(str(source), safe=":/")


def _state(out: EvidenceOut, place: SourceRef) -> dict[str, Any]:
    when = out.said_at or out.made_at
    state = {"type": "TimeState", "sourceDate": when.isoformat(), "yoimemory:revision": place.revision}
    return state | ({"yoimemory:fragment": place.fragment} if place.fragment else {})


def _agent(out: EvidenceOut) -> dict[str, Any]:
    kind = "Person" if out.extractor.kind == "person" else "Software"
    told = {"yoimemory:model": out.extractor.model, "yoimemory:run": out.extractor.run}
    return {"type": kind, "name": out.made_by, **{name: value for name, value in told.items() if value}}


def _bodies(out: EvidenceOut) -> Iterator[dict[str, Any]]:
    for name, purpose in PURPOSES.items():
        value = getattr(out, name)
        if value:
            author = getattr(out, f"{name}_by") or out.made_by
            yield {"type": "TextualBody", "value": value, "purpose": purpose, "creator": author}


def _relations(out: EvidenceOut) -> Iterator[dict[str, Any]]:
    for one in out.relations:
        yield {
            "type": "SpecificResource", "purpose": "linking", "source": RECORD + quote(one.target, safe=":"),
            "yoimemory:relation": one.relation,
        }  # fmt: skip


def _each(given: Any, depth: int, at_most: int) -> Iterator[dict[str, Any]]:
    if depth < 0:
        return
    if isinstance(given, list):
        for one in given[: at_most + 1]:
            yield from _each(one, depth - 1, at_most)
    elif isinstance(given, dict):
        kinds = _list(given.get("type"))
        if "Annotation" in kinds:
            yield given
        for name in ("first", "items"):
            yield from _each(given.get(name), depth - 1, at_most)


def _draft(given: dict[str, Any]) -> EvidenceDraft:
    target = next((one for one in _list(given.get("target")) if isinstance(one, (dict, str))), "")
    source, revision, selectors = _target(target)
    quoted = next((one for one in selectors if one.get("type") == "TextQuoteSelector"), {})
    position = next((one for one in selectors if one.get("type") == "TextPositionSelector"), {})
    words = dict.fromkeys(FIELDS.values(), "")
    for body in _list(given.get("body")):
        value, purpose = (body, "") if isinstance(body, str) else _textual(body)
        name = FIELDS.get(purpose, "inference")
        words[name] = f"{words[name]}\n{value}".strip()[: Evidence.WORDS_MAX]
    at = position.get("start")
    return EvidenceDraft(
        ref=f"{source}@{revision}"[:2_100] if revision else source,
        kind="summary" if not quoted and words["summary"] else "quote",
        quote=str(quoted.get("exact", ""))[:20_000],
        offset=at if isinstance(at, int) and not isinstance(at, bool) and at >= 0 else None,
        **words,
    )


def _target(target: dict[str, Any] | str) -> tuple[str, str, list[dict[str, Any]]]:
    """The ref of the source, the revision it was read at where that is told, and the selectors."""
    if isinstance(target, str):
        return _ref(target), "", []
    source = target.get("source", "")
    if isinstance(source, dict):
        source = source.get("id", "")
    states = [one for one in _list(target.get("state")) if isinstance(one, dict)]
    revision = next((str(one["yoimemory:revision"]) for one in states if one.get("yoimemory:revision")), "")
    return _ref(str(source)), revision, [one for one in _list(target.get("selector")) if isinstance(one, dict)]


def _ref(source: str) -> str:
    """A ref out of an IRI of ours, or the ref itself. Raises NotAnAnnotation where it is neither."""
    text = unquote(source.removeprefix(SOURCE)) if source.startswith(SOURCE) else source
    if not 3 <= len(text) <= 2_000:
        raise NotAnAnnotation(
            "An annotation does not say of which source it is.",
            hint=f"Its target has a source: a ref such as doc:docs/guide.md, or {SOURCE}doc:docs/guide.md.",
        )
    return text


def _textual(body: Any) -> tuple[str, str]:
    if not isinstance(body, dict) or body.get("type") != "TextualBody":
        return "", ""
    return str(body.get("value", "")), str(body.get("purpose", ""))


def _origin(given: dict[str, Any]) -> dict[str, Any]:
    """Where it came from, in the words that every import is told in."""
    creator = next(iter(_list(given.get("creator"))), "")
    name = creator.get("name", "") if isinstance(creator, dict) else creator
    return {
        "evidence": str(given.get("id", "an annotation without a name"))[:200],
        "workspace": "a Web Annotation",
        "by": str(name or "somebody unnamed")[:150],
        "state": str(given.get("yoimemory:state", "annotated"))[:40],
    }


def _list(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]
