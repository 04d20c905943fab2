"""What memory did to the work, from the terminal: telling of an effect, and the figures."""

import argparse

from yoimemory.cli.run import DONE, NOTHING, caller, now, say, show_json, workspace_of


def record(arguments: argparse.Namespace) -> int:
    """Note an effect: a person's is recorded, a Worker's claimed. Neither is ever added to what is observed."""
    from yoimemory.products.schemas import ImpactDraft, ImpactOut
    from yoimemory.products.services import record_impact

    draft = ImpactDraft(
        kind=arguments.kind, subjects=arguments.subjects, product=arguments.product, note=arguments.note
    )  # fmt: skip
    impact = record_impact(draft, workspace=workspace_of(arguments), actor=caller(), now=now())
    if arguments.json:
        show_json(ImpactOut.model_validate(impact))
    else:
        say(f"{impact.known}: {impact.label} in {impact.product}.")
    return DONE


def show(arguments: argparse.Namespace) -> int:
    """Show the figures of a span of weeks: effects by how they are known, exposure and harm apart."""
    from yoimemory.products.impact import impact_report

    report = impact_report(workspace_of(arguments), now=now(), weeks=arguments.weeks, role=arguments.role)
    if arguments.json:
        show_json(report)
        return DONE
    say(f"{'from question to use':28} shoeboxes  records")
    say(*(f"{stage.stage:28} {stage.shoeboxes:9}  {stage.records:7}" for stage in report.funnel))
    say(f"{'effect on the work':28} observed  recorded  claimed   (never added)")
    for row in report.effects:
        say(f"{row.label:28} {row.observed:8}  {row.recorded:8}  {row.claimed:7}")
    say(*(f"harm: {harm.kind.replace('_', ' ')} {harm.count}" for harm in report.harm))
    counts = {**report.exposure, **report.activity}
    say("exposure, never success: " + ", ".join(f"{kind.replace('_', ' ')} {n}" for kind, n in counts.items()))
    return DONE


def list_events(arguments: argparse.Namespace) -> int:
    """List the effects themselves, newest first; exit 1 when nothing is known."""
    from yoimemory.http import page_of
    from yoimemory.products.models import Impact
    from yoimemory.products.schemas import ImpactOut

    rows = Impact.objects.in_workspace(workspace_of(arguments)).select_related("actor")
    page = page_of(
        rows.filter(known=arguments.known) if arguments.known else rows, arguments.limit, "", ImpactOut.model_validate
    )
    if arguments.json:
        show_json(page)
    else:
        say(*(f"{out.at:%Y-%m-%d}  {out.known:8} {out.kind:24} {out.product}" for out in page.items))
        if not page.items:
            say("Nothing is known yet. Cite evidence by its ref in a commit, a thread or a doc, then index.")
    return DONE if page.items else NOTHING
