"""The figure of the way into the work: one bar a stage, about one middle, each joined to the next. Pure geometry."""

from collections.abc import Sequence
from dataclasses import dataclass

from yoimemory.products.funnel import TAKEN_BACK, USED
from yoimemory.products.reports import StageOut

WIDTH, ROW, HEIGHT = 360, 30, 16
MIDDLE, ROOM = 250.0, 210.0
COUNT_X = 138.0
STYLES = {USED[known]: style for known, style in zip(USED, ("b-obs", "b-rec", "b-cla"), strict=True)}


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage: its bar, its count, and the slope down to the next where the next follows from it."""

    label: str
    count: int
    y: float
    x: float
    width: float
    style: str
    slope: str = ""

    @property
    def base(self) -> float:
        """Where its words stand."""
        return self.y + HEIGHT - 4


@dataclass(frozen=True, slots=True)
class Funnel:
    """The stages, and the rule beneath those that follow from one another."""

    height: float
    stages: tuple[Stage, ...]
    rule_y: float


def funnel_chart(stages: Sequence[StageOut]) -> Funnel:
    """Lay out the stages on one scale, that of the shoeboxes; what was used is told thrice and never joined."""
    top = max([1, *(stage.shoeboxes for stage in stages)])
    last = sum(stage.stage not in {*STYLES, TAKEN_BACK} for stage in stages)
    placed: list[Stage] = []
    for number, stage in enumerate(stages):
        width = round(ROOM * stage.shoeboxes / top, 1)
        y = 8.0 + ROW * number + (14 if number >= last else 0)
        style = STYLES.get(stage.stage, "g-r" if stage.stage == TAKEN_BACK else "b-obs")
        placed.append(Stage(stage.stage, stage.shoeboxes, y, MIDDLE - width / 2, width, style))
    joined = [_joined(stage, placed[number + 1]) if number + 1 < last else stage for number, stage in enumerate(placed)]
    rule = 8.0 + ROW * last - 1
    return Funnel(height=8 + ROW * len(placed) + 14, stages=tuple(joined), rule_y=rule)


def _joined(stage: Stage, following: Stage) -> Stage:
    """The same stage with the slope from its foot to the head of the next."""
    foot, head = stage.y + HEIGHT, following.y
    corners = (
        (stage.x, foot), (stage.x + stage.width, foot), (following.x + following.width, head), (following.x, head)
    )  # fmt: skip
    slope = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    return Stage(stage.label, stage.count, stage.y, stage.x, stage.width, stage.style, slope)
