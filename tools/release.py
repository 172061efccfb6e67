"""Makes a release but for the upload: ``make release VERSION=0.2.0``.

It begins on a clean tree whose changelog has the version "in preparation". It sets version and date in all files that
have them, runs every check, makes wheel and crate in ``dist/``, commits, and makes the tag with the changelog's section
as its message. Then it opens the next version in the changelog. A step that fails leaves no commit and no tag. The last
lines say what is left to do by hand.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PENDING = "in preparation"
PAGES = ("CHANGELOG.md", "docs/results-changed.md")
NUMBER = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
# The crate that other programs depend on, below those that it is made of.
CRATES = ("sojourn-queues", "sojourn-senders", "sojourn-sim", "sojourn-bottleneck")
GIT = shutil.which("git") or "git"


class ReleaseError(Exception):
    """A thing that a release lacks, as one line."""


def main() -> int:
    """Exit code: 2 if nothing was begun, 1 if a check failed."""
    options = argparse.ArgumentParser(description="Make a release but for the upload.")
    options.add_argument("version", help="such as 0.2.0")
    version = options.parse_args().version
    try:
        ready(version)
    except ReleaseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    try:
        write_version(ROOT, version, today)
        # The lock has the versions of the workspace's crates.
        run("cargo", "update", "--workspace", "--offline", "--quiet")
        check_and_pack()
        commit_and_tag(version)
    except (ReleaseError, subprocess.CalledProcessError) as error:
        print(f"error: {error}\nNothing was committed; git checkout . takes the version back.", file=sys.stderr)
        return 1
    print(f"""
Version {version} is committed and tagged; dist/ has what to publish, with its hashes in dist/SHA256SUMS. What is left:
  1. git push --follow-tags    (the workflow "wheels" makes those of the other platforms)
  2. look at out/site, and publish it
  3. publish the wheels and the crates""")
    return 0


def ready(version: str) -> None:
    """Raises where the release cannot begin."""
    if not NUMBER.fullmatch(version):
        raise ReleaseError(f"version {version!r}: three numbers are expected, such as 0.2.0")
    if git("status", "--porcelain"):
        raise ReleaseError("the tree has changes that are not committed")
    if git("tag", "--list", f"v{version}"):
        raise ReleaseError(f"the tag v{version} exists")
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        if f"\n## {version}, {PENDING}\n" not in text:
            found = re.search(rf"^## (.*), {PENDING}$", text, re.MULTILINE)
            has = f"it has {found[1]}" if found else "it has no such heading"
            raise ReleaseError(f'{page}: the heading "## {version}, {PENDING}" is expected; {has}')


def write_version(root: Path, version: str, date: str) -> None:
    """Set version and date in each file that has them."""
    edit(root / "Cargo.toml", r'(?m)^version = "[^"]*"', f'version = "{version}"')
    manifest = root / "Cargo.toml"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(re.sub(r'version = "=[^"]*"', f'version = "={version}"', text), encoding="utf-8")
    edit(root / "CITATION.cff", r"(?m)^version: .*(\ndate-released: .*)?", f"version: {version}\ndate-released: {date}")
    for page in PAGES:
        edit(root / page, rf"(?m)^## {re.escape(version)}, {PENDING}$", f"## {version}, {date}")


def open_next(root: Path, version: str) -> None:
    """Begin the next version in the changelog and the list of results."""
    major, minor, _ = version.split(".")
    following = f"{major}.{int(minor) + 1}.0"
    for page in PAGES:
        edit(root / page, r"(?m)^## ", f"## {following}, {PENDING}\n\n## ")


def section(text: str, version: str) -> str:
    """The entries of a version in the changelog, without its heading."""
    found = re.search(rf"(?ms)^## {re.escape(version)}, [^\n]*\n(.*?)(?=^## |\Z)", text)
    if found is None:
        raise ReleaseError(f"the changelog has no section {version}")
    return found[1].strip() + "\n"


def check_and_pack() -> None:
    """Run all checks, then make ``dist/`` anew."""
    run("bash", ".ci/run", CI="true")
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    run("make", "wheel", "site")
    run(".venv/bin/pytest", "-q", "tests/install")
    shutil.rmtree(ROOT / "target/package", ignore_errors=True)
    packages = [word for crate in CRATES for word in ("--package", crate)]
    run("cargo", "package", *packages, "--locked", "--allow-dirty", "--no-verify")
    dist = ROOT / "dist"
    for crate in (ROOT / "target/package").glob("*.crate"):
        shutil.copy(crate, dist)
    made = sorted(path for path in dist.iterdir() if path.is_file())
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in made]
    (dist / "SHA256SUMS").write_text("".join(sums))


def commit_and_tag(version: str) -> None:
    """Commit the version, tag it, and open the next one."""
    notes = ROOT / "dist/NOTES.md"
    notes.write_text(section((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version), encoding="utf-8")
    git("commit", "--all", "--message", f"Version {version}")
    # Headings begin with a hash, which git would take for comments.
    git("tag", "--annotate", f"v{version}", "--cleanup=whitespace", "--file", str(notes))
    open_next(ROOT, version)
    git("commit", "--all", "--message", "Open the next version")


def edit(path: Path, pattern: str, replacement: str) -> None:
    """Replace the first match, which must exist."""
    text, count = re.subn(pattern, lambda _: replacement, path.read_text(encoding="utf-8"), count=1)
    if not count:
        raise ReleaseError(f"{path.name}: nothing matches {pattern}")
    path.write_text(text, encoding="utf-8")


def git(*arguments: str) -> str:
    """The text that git prints."""
    return subprocess.run([GIT, *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def run(*command: str, **environment: str) -> None:
    """Run a step, and say so."""
    print(f"\n$ {' '.join(command)}", flush=True)
    # The arguments of the outer make are not for those of the steps.
    own = {name: value for name, value in os.environ.items() if name not in {"MAKEFLAGS", "MAKELEVEL", "MFLAGS"}}
    subprocess.run(command, cwd=ROOT, check=True, env={**own, **environment})


if __name__ == "__main__":
    sys.exit(main())
