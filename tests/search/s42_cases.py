"""Search texts that broke other tools, what each must find, and the sources that hold it. For every surface's test.

`DOCUMENTS` are put into an index; each of `CASES` is asked for; the sources found must be those named (none where
the text says nothing that stands there). Every text of `HARMLESS` is answered without an error, whatever it finds.
"""

DOCUMENTS = {
    "doc:multi.md": 'POL-358 multi-agent a:b grammar::fa 38.101 C++ C# @home 50% a_b a"b',
    "doc:ja.md": "日本語で ハンカク と École 😀",
    "doc:other.md": "nothing of it, and 51 percent of 39.102",
}

CASES: tuple[tuple[str, str], ...] = (
    ("POL-358", "doc:multi.md"),
    ("multi-agent", "doc:multi.md"),
    ("a:b", "doc:multi.md"),
    ("grammar::fa", "doc:multi.md"),
    ("38.101", "doc:multi.md"),
    ("C++", "doc:multi.md"),
    ("C#", "doc:multi.md"),
    ("@home", "doc:multi.md"),
    ("50%", "doc:multi.md"),
    ("a_b", "doc:multi.md"),
    ('a"b', "doc:multi.md"),
    ('"multi-agent"', "doc:multi.md"),
    ("日", "doc:ja.md"),
    ("日本", "doc:ja.md"),
    ("日本語", "doc:ja.md"),
    ("本", "doc:ja.md"),
    ("ﾊﾝｶｸ", "doc:ja.md"),
    ("ＰＯＬ－３５８", "doc:multi.md"),
    ("ÉCOLE", "doc:ja.md"),
    ("école", "doc:ja.md"),
    ("😀", "doc:ja.md"),
)
"""What is typed, and the one source that must be found: hyphen, colon, signs, decimals, one to three CJK characters."""

HARMLESS: tuple[str, ...] = (
    "AND", "OR", "NOT", "NEAR", "a AND", "OR b", "NEAR(a b", '"', '""', '"unclosed', "'", "'; DROP TABLE x;--",
    "(", ")", "((", "*", "lock*", "^lock", "title:", "rowid:1", "kind:", "kind:nonsense", "path:", "path:[", "id:",
    "-", "--", "-lock", '-"two words"', "before:yesterday", "after:2026-13-45", "author:", "{", "}", "[", "]", "\\",
    "\\\\", "/", "//", ":", "::", "ticket:", "commit:zzz", "doc:../../etc/passwd", "file:///etc/passwd", "%", "%%",
    "_", "?", "!", "#", "@", "+", "\u202e", "\u200b", "\ufeff", "\x00", "\x1b[31m", "a\nb", "a\tb", "　", "。", "「」",
    "\ud83d", "\U0010ffff", "﷽", "x" * 5_000, "word " * 400,
)  # fmt: skip
"""Texts of operators, signs, controls and lengths: each is words or nothing, never an error."""
