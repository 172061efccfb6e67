"""Writes the documentation of the crates with rustdoc, and fails if a link in it leads nowhere: part of ``make lint``.

It is ``cargo doc`` with warnings as errors, but for one thing. A citation, such as ``[Ale04]``, is a word in brackets,
which rustdoc takes for a link. The links of this repository have backquotes or a place in parentheses.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
COMMAND = ["cargo", "doc", "--workspace", "--no-deps", "--document-private-items", "--locked", "--quiet"]
# Readers of the engine's documentation are its developers, for whom the private items are there.
PRIVATE = "rustdoc::private_intra_doc_links"


def main() -> int:
    """Exit code: 1 if there is a warning."""
    done = subprocess.run(
        [*COMMAND, "--message-format", "json"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    found = [line["message"] for line in lines if line["reason"] == "compiler-message"]
    wrong = [message for message in found if is_wrong(message)]
    print("".join(message["rendered"] for message in wrong), end="", file=sys.stderr)
    return done.returncode or int(bool(wrong))


def is_wrong(message: dict[str, Any]) -> bool:
    """Whether a message of rustdoc is to be answered: it is about neither a citation nor a private item."""
    lint = (message["code"] or {}).get("code")
    if lint == PRIVATE:
        return False
    return lint != "rustdoc::broken_intra_doc_links" or not any(map(is_citation, message["spans"]))


def is_citation(span: dict[str, Any]) -> bool:
    """Whether the place of a message is a plain word in brackets."""
    (line,) = span["text"][:1] or [{"text": "", "highlight_start": 1, "highlight_end": 1}]
    start, end = line["highlight_start"] - 1, line["highlight_end"] - 1
    return re.fullmatch(r"\[\w+\]", line["text"][max(start - 1, 0) : end + 1]) is not None


if __name__ == "__main__":
    sys.exit(main())
