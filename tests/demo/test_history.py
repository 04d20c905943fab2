"""The demo's repository is the same on every machine, and its tickets are true to their format."""

import subprocess
from datetime import datetime
from pathlib import Path

import pytest

from yoimemory.demo.history import BESIDE, BRANCH, HISTORY, OBJECTIVES, TICKETS
from yoimemory.demo.repository import branch_off, commit_steps, commits_in, start_repository
from yoimemory.demo.texts import events_in, memory_files, session_logs, text_of, ticket_after

HEAD = "c9d62433c0c5c3e9edfd069a868fe8f56e5c8886"
BESIDE_HEAD = "d92b0711e479989177d0c6f3453ee3dffc5ac644"
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class TestRepository:
    def test_has_the_same_ids_everywhere(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        odd = tmp_path / "gitconfig"
        odd.write_text(
            "[commit]\n gpgsign = true\n[core]\n autocrlf = true\n hooksPath = /nowhere\n"
            "[i18n]\n commitEncoding = latin-1\n[user]\n name = Somebody\n email = else@example.invalid\n"
        )
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(odd))
        monkeypatch.setenv("TZ", "Pacific/Auckland")

        start_repository(tmp_path / "asapan")
        head = commit_steps(tmp_path / "asapan", HISTORY)

        assert head == HEAD
        assert 55 <= len(commits_in(tmp_path / "asapan")) == len(HISTORY) <= 65

    def test_can_be_continued_where_it_stopped(self, tmp_path: Path) -> None:
        start_repository(tmp_path / "asapan")
        commit_steps(tmp_path / "asapan", HISTORY[:20])

        assert commit_steps(tmp_path / "asapan", HISTORY[20:]) == HEAD

    def test_has_a_branch_beside_that_leaves_what_is_checked_out(self, tmp_path: Path) -> None:
        root = tmp_path / "asapan"
        start_repository(root)
        commit_steps(root, HISTORY)

        made, again = branch_off(root, BRANCH, BESIDE), branch_off(root, BRANCH, BESIDE)

        told = subprocess.run(
            ["git", "diff", "--stat", "--name-only", f"HEAD..{BRANCH}"], cwd=root, capture_output=True, check=True
        )
        status = subprocess.run(["git", "status", "--porcelain"], cwd=root, capture_output=True, check=True)
        assert made == again == BESIDE_HEAD
        assert told.stdout == b"docs/design/start-screen.md\n"
        assert status.stdout == b""
        assert commits_in(root)[-1] == HEAD

    def test_is_whole_and_clean(self, tmp_path: Path) -> None:
        start_repository(tmp_path / "asapan")
        commit_steps(tmp_path / "asapan", HISTORY)

        checked = subprocess.run(["git", "fsck", "--strict"], cwd=tmp_path / "asapan", capture_output=True, check=True)
        status = subprocess.run(
            ["git", "status", "--porcelain"], cwd=tmp_path / "asapan", capture_output=True, check=True, text=True
        )

        assert b"error" not in checked.stderr
        assert status.stdout == ""

    def test_goes_forward_in_time(self) -> None:
        times = [step.at for step in HISTORY]

        assert times == sorted(times)


class TestTickets:
    def test_are_twelve_with_two_objectives(self) -> None:
        assert (len(TICKETS), len(OBJECTIVES)) == (12, 2)

    @pytest.mark.parametrize("ticket", TICKETS)
    def test_carry_their_time_in_their_id(self, ticket: str) -> None:
        item = text_of(f".yoi/tickets/{ticket}/item.md").decode()
        created = datetime.fromisoformat(item.split('created_at: "')[1].split('"')[0])

        milliseconds = 0
        for letter in ticket:
            milliseconds = milliseconds * 32 + ALPHABET.index(letter)

        assert milliseconds == int(created.timestamp() * 1000)

    @pytest.mark.parametrize("ticket", TICKETS)
    def test_end_in_the_history_with_their_whole_thread(self, ticket: str) -> None:
        last: dict[str, bytes] = {}
        for step in HISTORY:
            last |= step.contents()

        assert last[f".yoi/tickets/{ticket}/thread.md"] == text_of(f".yoi/tickets/{ticket}/thread.md")
        assert events_in(ticket) >= 2

    def test_take_their_state_from_their_thread(self) -> None:
        early, late = ticket_after(TICKETS[0], 1), ticket_after(TICKETS[0], events_in(TICKETS[0]))

        assert b'state: "planning"' in early[f".yoi/tickets/{TICKETS[0]}/item.md"]
        assert b'state: "closed"' in late[f".yoi/tickets/{TICKETS[0]}/item.md"]
        assert f".yoi/tickets/{TICKETS[0]}/resolution.md" in late


def test_there_are_two_session_logs_and_three_memory_records() -> None:
    assert (len(session_logs()), len(memory_files())) == (2, 3)
