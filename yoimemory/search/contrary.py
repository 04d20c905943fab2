"""Signs that a passage speaks against something: what its structure says, and words of refusal."""

SIGNALS = {
    "request_changes": "its review asks for changes",
    "rejected": "it was rejected",
    "reverted": "it was reverted",
    "reopened": "it was reopened",
    "superseded": "it was superseded",
    "failed": "it reports a failure",
    "blocked": "it was blocked",
    "withdrawn": "it was withdrawn",
}
"""Signals that readers set from structure, and what each says of its passage."""

BY_WORDS = "It holds words of refusal or doubt beside what was asked."

WORDS = (
    "not", "never", "no longer", "cannot", "must not", "instead", "however", "unless", "wrong", "false", "fails",
    "failed", "failure", "broken", "bug", "regression", "revert", "reverted", "reject", "rejected", "obsolete",
    "deprecated", "removed", "abandoned", "superseded", "replaced", "contradicts", "stale", "blocked", "blocker",
    "request_changes", "reopened", "unresolved", "incorrect",
    "不要", "廃止", "撤回", "却下", "中止", "失敗", "矛盾", "誤り", "未解決", "禁止", "削除", "差し戻し", "破棄",
    "取り下げ", "不可", "否定", "非推奨", "保留", "延期", "不足", "問題",
)  # fmt: skip
"""Words that often stand where something is refused, undone or doubted, in English and Japanese."""


def expression() -> str:
    """A match for any of the words, quoted for the engine."""
    from yoimemory.search.matching import phrases_of

    return "(" + " OR ".join(form for word in WORDS for form in phrases_of(word)[:1]) + ")"


def reasons(signals: str) -> list[str]:
    """What the signals of a passage say, in words."""
    return [SIGNALS.get(signal, f"it carries the signal {signal}") for signal in signals.split()]
