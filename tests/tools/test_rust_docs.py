"""``tools/rust_docs.py`` lets citations and links to private items pass, and no other warning of rustdoc."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parents[2] / "tools" / "rust_docs.py"


def message(line: str, word: str, lint: str) -> dict:
    start = line.index(word) + 1
    span = {"text": [{"text": line, "highlight_start": start, "highlight_end": start + len(word)}]}
    return {"code": {"code": f"rustdoc::{lint}"}, "spans": [span]}


@pytest.mark.parametrize(
    ("line", "word", "lint", "wrong"),
    [
        ("//! As in [Ale04] section 7.", "Ale04", "broken_intra_doc_links", False),
        ("/// See [`Buffer`].", "`Buffer`", "broken_intra_doc_links", True),
        ("/// See [the room](crate::room).", "crate::room", "broken_intra_doc_links", True),
        ("/// See [the room](room).", "room", "broken_intra_doc_links", True),
        ("/// See [`State`].", "`State`", "private_intra_doc_links", False),
        ("/// See [`pie`](super::pie).", "super::pie", "redundant_explicit_links", True),
    ],
)
def test_a_warning_is_let_pass_only_where_nobody_loses_a_link(line, word, lint, wrong):
    assert runpy.run_path(str(TOOL))["is_wrong"](message(line, word, lint)) is wrong
