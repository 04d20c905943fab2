"""Secrets are taken out of every text before it is stored: one function, with a version of its own.

Only what has the form of a credential is masked (known prefixes, key blocks, passwords in addresses,
`NAME_PASSWORD=value` lines as in an .env file). Hashes, commit ids and UUIDs stay. A mask keeps the
line ends of what it covers, so that line numbers go on being those of the file.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

VERSION = 2
"""Raised whenever the same text would be masked otherwise; the index is then read again."""


@dataclass(frozen=True, slots=True)
class Masked:
    """A text without its secrets, and how many of which kind it held."""

    text: str
    counts: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Rule:
    """What one kind of secret looks like; without one of the `signs` in a text, it is not looked for."""

    kind: str
    signs: tuple[str, ...]
    pattern: re.Pattern[str]


_ALONE = r"(?<![A-Za-z0-9_-])(?:{})(?![A-Za-z0-9_-])"
_NAMES = r"PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIALS?"


def _token(kind: str, signs: str, body: str) -> _Rule:
    return _Rule(kind, tuple(signs.split()), re.compile(_ALONE.format(body)))


# A group named `secret` is what is masked; without one, the whole match is.
_RULES = (
    _Rule(
        "private-key",
        ("PRIVATE KEY",),
        re.compile(
            r"-----BEGIN (?:[A-Z]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----.*?"
            r"(?:-----END (?:[A-Z]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----|\Z)",
            re.DOTALL,
        ),
    ),
    _token("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{36,255}"),
    _token("github-token", "github_pat_", r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{50,100}"),
    _token("gitlab-token", "glpat-", r"glpat-[A-Za-z0-9_-]{20,80}"),
    _token("slack-token", "xox", r"xox[abeoprs]-[A-Za-z0-9-]{10,250}"),
    _token("anthropic-key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{20,250}"),
    _token("openai-key", "sk-", r"sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_]{32,250}"),
    _token("aws-access-key", "AKIA ASIA", r"(?:AKIA|ASIA)[A-Z2-7]{16}"),
    _token("google-key", "AIza", r"AIza[A-Za-z0-9_-]{35}"),
    _token("stripe-key", "_live_ _test_", r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,120}"),
    _token("npm-token", "npm_", r"npm_[A-Za-z0-9]{36}"),
    _token("pypi-token", "pypi-", r"pypi-[A-Za-z0-9_-]{50,300}"),
    _token("yoimemory-token", "yoim_", r"yoim_[A-Za-z0-9_-]{40,80}"),
    _token("jwt", "eyJ", r"eyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{16,2000}"),
    _Rule(
        "bearer",
        ("earer ", "EARER "),
        re.compile(r"(?:[Bb]earer|BEARER) {1,3}(?P<secret>[A-Za-z0-9._~+/-]{20,}=*)"),
    ),
    _Rule(
        "url-password",
        ("://",),
        re.compile(r"://[^\s:/@\"'<>]{0,100}:(?P<secret>[^\s:/@\"'<>${}\[\]*]{4,200})@"),
    ),
    _Rule(
        "password",
        ("PASS", "SECRET", "TOKEN", "KEY", "CREDENTIAL"),
        re.compile(
            rf"(?:{_NAMES})(?:_[A-Z0-9]+){{0,3}}=(?:\\{{0,3}}[\"'])?"
            r"(?P<secret>(?!\[REDACTED)[A-Za-z0-9+/_.!@%^&*~-]{8,200}=*)(?=[\"'\s]|\\+[\"'nrt]|\Z)"
        ),
    ),
)  # fmt: skip


LONG = 4_096
_BYTES = bytes(range(256))
_TELLING = bytes.translate(_BYTES, None, b"ABCDEFGHIJKLMNOPQRSTUVWXYZ_-:/gjkmpxy")
"""Every byte that is left out of a long text before it is asked for signs: what is left is a small part of it."""


def _told(text: str) -> bytes:
    """The telling signs of a text. What stands in a text stands, told so, in the text told so."""
    return text.encode("utf-8", "surrogatepass").translate(None, _TELLING)


_SIGNS_BY_TOLD: dict[bytes, list[str]] = {}
for _rule in _RULES:
    for _sign in _rule.signs:
        _SIGNS_BY_TOLD.setdefault(_told(_sign), []).append(_sign)


def _missing(text: str) -> set[str]:
    """Signs that do not stand in a text, found in much less time than looking for each of them in all of it."""
    told = _told(text)
    return {sign for each, signs in _SIGNS_BY_TOLD.items() if each not in told for sign in signs}


_SIGNS = re.compile("|".join(re.escape(sign) for rule in _RULES for sign in rule.signs))
_SHORT = 500
"""Characters up to which one look for all signs is quicker than one for each, as in the messages of commits."""

_unmasked: ContextVar[bool] = ContextVar("unmasked", default=False)


@contextmanager
def unmasked() -> Iterator[None]:
    """Within it nothing is masked. Only for showing a person what a mask covers: nothing read so may be stored."""
    token = _unmasked.set(True)
    try:
        yield
    finally:
        _unmasked.reset(token)


def mask(text: str) -> Masked:
    """The text with a visible mask, `[REDACTED:kind]`, in the place of every secret."""
    if _unmasked.get() or (len(text) <= _SHORT and not _SIGNS.search(text)):
        return Masked(text)
    counts: Counter[str] = Counter()
    missing = _missing(text) if len(text) > LONG else ()
    for rule in _RULES:
        for sign in rule.signs:  # no generator: this is asked of every text, and nearly always in vain
            if sign in missing:
                continue
            if sign in text:
                text = rule.pattern.sub(_masker(rule, counts), text)
                break
    return Masked(text, dict(counts)) if counts else Masked(text)


def _masker(rule: _Rule, counts: Counter[str]) -> Callable[[re.Match[str]], str]:
    group = "secret" if "secret" in rule.pattern.groupindex else 0

    def covered(match: re.Match[str]) -> str:
        found = match[group]
        if group and not _is_secret(found, rule.kind):
            return match[0]
        counts[rule.kind] += 1
        before, after = match[0][: match.start(group) - match.start()], match[0][match.end(group) - match.start() :]
        return f"{before}[REDACTED:{rule.kind}]" + "\n" * found.count("\n") + after

    return covered


_WORDS = frozenset({"password", "passwd", "pass", "secret", "token", "user", "example", "xxxx", "changeme"})


def _is_secret(value: str, kind: str) -> bool:
    """Whether the value after a name is more than a word, a path or a placeholder."""
    if "[REDACTED" in value or value.lower() in _WORDS:
        return False
    return kind == "url-password" or (bool(re.search(r"[0-9]", value)) and not value.startswith(("/", "./", "../")))
