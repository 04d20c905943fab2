"""Secrets never reach what is stored: masked visibly, counted, line numbers kept; hashes and UUIDs stay."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sources.conftest import read_all
from tests.sources.repository import Repo
from tests.sources.test_sessions import lines
from yoimemory.refs import SourceRef
from yoimemory.sources.masking import LONG, mask
from yoimemory.sources.models import Workspace
from yoimemory.sources.read import read_document
from yoimemory.sources.texts import unreadable

pytestmark = pytest.mark.django_db

Register = Callable[[Path], Workspace]


def digits(seed: str, count: int) -> str:
    return hashlib.sha256(seed.encode()).hexdigest()[:count]


# Put together here, so that no scanner takes this file for a leak.
SECRETS = {
    "aws-access-key": "AK" + "IA" + "ABCDEFGHJKLMNPQR",
    "github-token": "gh" + "p_" + digits("gh", 36),
    "gitlab-token": "gl" + "pat-" + digits("gl", 20),
    "slack-token": "xo" + "xb-123456789012-123456789012-" + digits("sl", 24),
    "openai-key": "s" + "k-proj-" + digits("oa", 48),
    "anthropic-key": "s" + "k-ant-api03-" + digits("an", 64) + "AA",
    "google-key": "AI" + "zaSy" + digits("go", 33),
    "stripe-key": "sk_" + "live_" + digits("st", 24),
    "npm-token": "np" + "m_" + digits("np", 36),
    "pypi-token": "py" + "pi-AgEIcHlwaS5vcmc" + digits("pp", 60),
    "yoimemory-token": "yo" + "im_" + digits("yo", 43),
    "jwt": "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiJmYWtlIn0." + digits("jwt", 43),
    "bearer": "Authorization: " + "Bearer " + digits("be", 40),
    "url-password": "post" + "gres://app:" + digits("pw", 16) + "@db.example.invalid:5432/app",
    "password": "DB_" + "PASSWORD=" + digits("dbp", 18),
    "private-key": "-----BEGIN RSA " + "PRIVATE KEY-----\n" + "a1\n" * 4 + "-----END RSA " + "PRIVATE KEY-----",
}
HARMLESS = [
    "commit 0123456789abcdef0123456789abcdef01234567 is a hash",
    "uuid 0197a949-4b6b-7f2a-9d9a-1f87e3a4c5b6, sha256:" + "ab" * 32,
    "sk-learn, ghp_ prefix, NOTSECRET, npm_config_cache, eyJ",
    "http://127.0.0.1:8765/ and ssh://git@example.invalid:22/x",
    "TOKEN=$GITHUB_TOKEN SECRET_FILE=/run/secrets/1 PASSWORD=changeme",
    "Monkeys like KEYS=value in tables",
]


class TestMask:
    @pytest.mark.parametrize("kind", SECRETS)
    @pytest.mark.parametrize("around", ["{}", "old key was {}\n", '{{"value": "{}"}}', "$ cat .env\nVALUE={}\n"])
    def test_covers_what_has_the_form_of_a_secret(self, kind: str, around: str) -> None:
        text = around.format(SECRETS[kind])

        masked = mask(text)

        assert SECRETS[kind] not in masked.text
        assert f"[REDACTED:{kind}]" in masked.text
        assert masked.counts == {kind: 1}
        assert masked.text.count("\n") == text.count("\n")

    @pytest.mark.parametrize("text", HARMLESS)
    def test_leaves_everything_else_as_it_is(self, text: str) -> None:
        assert mask(text).text == text

    def test_says_nothing_new_of_a_masked_text(self) -> None:
        once = mask("\n".join(SECRETS.values())).text

        assert mask(once).text == once

    def test_ends_quickly_on_long_texts_that_only_look_like_it(self) -> None:
        text = (
            "PASSWORD=" + "a" * 100_000 + " ://" + "x" * 100_000 + " eyJ" + "." * 100_000 + "-----BEGIN PRIVATE KEY--"
        )

        assert mask(text).text == text


class TestASecretInASource:
    def test_is_stored_nowhere(self, repo: Repo, register: Register) -> None:
        whole = "\n".join(SECRETS.values())
        repo.write(".env", whole + "\n")
        repo.write("docs/a.md", f"# Keys\n\n{whole}\n")
        repo.ticket("00001KSEC0001", body=whole + "\n", thread=f"<!-- event -->\n\n{whole}\n")
        repo.write(".yoi/sessions/log.jsonl", lines({"role": "tool", "content": whole}))
        commit = repo.commit("Rotate " + SECRETS["github-token"])
        workspace = register(repo.root)

        documents, _ = read_all(workspace)
        history = [
            read_document(workspace, SourceRef.parse(ref)) for ref in (f"commit:{commit}", f"diff:{commit}/docs/a.md")
        ]

        for found in (*documents.values(), *history):
            stored = repr((found.text, found.title, found.passages, found.facts))
            assert [kind for kind, secret in SECRETS.items() if secret.split("\n")[-2:][0] in stored] == []
        assert documents["session:plain/log"].facts["masked"] == dict.fromkeys(SECRETS, 1)
        assert documents["doc:docs/a.md"].facts["masked"] == dict.fromkeys(SECRETS, 1)
        assert documents["doc:docs/a.md"].revision == commit


def test_the_reason_for_what_was_not_read_quotes_no_secret() -> None:
    found = unreadable("a.jsonl", "its status API_TOKEN=aB3dE5fG7hJ9kL1mN3pQ is unknown")

    assert "aB3dE5fG7hJ9" not in found.reason
    assert "[REDACTED:" in found.reason


class TestMaskOfALongText:
    @pytest.mark.parametrize("kind", SECRETS)
    @pytest.mark.parametrize("rest", ["a quiet line of words and numbers 123\n", "鍵はここに無い、と書いてある。\n"])
    def test_covers_what_it_covers_in_a_short_one(self, kind: str, rest: str) -> None:
        before = rest * (LONG // len(rest) + 1)

        masked = mask(f"{before}{SECRETS[kind]}\n{rest}")

        assert masked.text == f"{before}{mask(SECRETS[kind]).text}\n{rest}"
        assert SECRETS[kind] not in masked.text

    def test_leaves_what_only_looks_like_it(self) -> None:
        text = "\n".join(HARMLESS) * (LONG // 100)

        assert mask(text).text == text
