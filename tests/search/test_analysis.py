"""The words of the index."""

import pytest

from yoimemory.search.analysis import analyse, cjk_tokens, name_forms, query_terms


class TestAnalyse:
    def test_cuts_where_the_script_changes(self) -> None:
        words = analyse("workerの再構築をMcpStdioToolで行う")

        assert words.latin.split() == ["worker", "McpStdioTool"]
        assert words.cjk.split() == ["再構", "構築", "行"]

    def test_keeps_katakana_words_whole_and_drops_hiragana(self) -> None:
        assert analyse("ロックファイルのこと").cjk == "ロックファイル"

    def test_folds_wide_and_half_width_letters(self) -> None:
        words = analyse("ＡＰＩ ﾊﾝｶｸ")

        assert words.latin.split() == ["API"]
        assert words.cjk == "ハンカク"

    def test_parts_hangul_so_that_endings_do_not_hide_a_word(self) -> None:
        assert "검색" in analyse("검색을").cjk.split()

    @pytest.mark.parametrize(
        ("name", "forms"),
        [
            ("WorkerFilesystemAuthority", ("worker", "filesystem", "authority")),
            ("worker_filesystem", ("workerfilesystem",)),
            ("worker-runtime", ("workerruntime",)),
            ("HTTPServer", ("http", "server")),
            ("plain", ()),
            ("API", ()),
        ],
    )
    def test_finds_the_forms_of_a_name(self, name: str, forms: tuple[str, ...]) -> None:
        assert name_forms(name) == forms

    def test_asks_for_whole_names_and_their_parts(self) -> None:
        terms = query_terms("WorkerRuntime を worker_runtime で")

        assert {"workerruntime", "worker", "runtime"} <= set(terms.latin)

    @pytest.mark.parametrize(("run", "tokens"), [("日", ["日"]), ("日本", ["日本"]), ("日本語", ["日本", "本語"])])
    def test_makes_bigrams_of_kanji(self, run: str, tokens: list[str]) -> None:
        assert cjk_tokens(run) == tokens
