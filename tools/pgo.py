"""Profile-guided optimisation: a command, such as a build of the wheel, with a profile of runs of the core.

    python tools/pgo.py maturin build --release --locked --out dist

The core is built twice. The first build counts how often each of its branches is taken while it runs the scenarios
below, and the second one, which the command makes, lays out its code by these counts. The benchmark's own workloads are
not among the scenarios. The profile is kept in target/pgo, and is made again when a source of the core has changed.

It needs `llvm-profdata` of the same LLVM as the compiler's (`rustup component add llvm-tools`). Without it the command
runs as it is, and says so.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "target" / "pgo"
PROFILE = KEPT / "sojourn.profdata"
# Each is a line of `sojourn run`. Short runs are enough: branches are counted, not seconds.
TRAINING = (
    "red_classic --set duration=200s",
    "red_classic --set duration=20s --set flow[0].count=60 --set dumbbell.queue={kind='codel'}",
    "two_way_dumbbell --set duration=90s",
    "two_way_dumbbell --set duration=64s --set flow[0].count=400 --set dumbbell.rate=300Mbit",
    "rtt_fairness --set duration=100s",
    "parking_lot --set duration=100s",
    "home_uplink --set duration=60s",
    "home_line --set duration=100s",
    "fq_codel_mix --set duration=100s",
    "rrul --set duration=100s",
    "rrul_be --set duration=100s",
    "tcp_8down --set duration=100s",
    "web --set duration=100s",
    "dctcp --set duration=3s",
    "udp_blast --set duration=100s",
    "ecn_path --set duration=100s",
    "classes --set duration=100s",
    "wifi_hop --set duration=10s",
    "operator --set duration=7s",
)


def main(command: Sequence[str]) -> int:
    """Exit code of the command."""
    if not command:
        print(__doc__, file=sys.stderr)
        return 2
    merge = profdata()
    if merge is None:
        print(
            "Built without a profile of runs: llvm-profdata is not installed (rustup component add llvm-tools).",
            file=sys.stderr,
        )
        return subprocess.run(command, cwd=ROOT, check=False).returncode
    if is_stale():
        make_profile(merge)
    trained = {"RUSTFLAGS": f"-Cprofile-use={PROFILE}", "CARGO_TARGET_DIR": str(KEPT / "trained")}
    return subprocess.run(command, cwd=ROOT, check=False, env=os.environ | trained).returncode


def profdata() -> Path | None:
    """The compiler's own `llvm-profdata`, if it is installed."""
    asked = ["rustc", "--print", "target-libdir"]
    library = subprocess.run(asked, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
    found = Path(library).parent / "bin" / "llvm-profdata"
    return found if found.is_file() else None


def is_stale() -> bool:
    """Whether there is no profile, or a source of the core is newer than it."""
    if not PROFILE.is_file():
        return True
    sources = [
        ROOT / "Cargo.lock",
        Path(__file__),
        *(ROOT / "crates").rglob("*.rs"),
        *(ROOT / "crates").rglob("Cargo.toml"),
    ]
    return max(source.stat().st_mtime for source in sources) > PROFILE.stat().st_mtime


def make_profile(merge: Path) -> None:
    """Build the core with counters, run the scenarios, and merge the counts."""
    counts = KEPT / "counts"
    shutil.rmtree(counts, ignore_errors=True)
    counts.mkdir(parents=True)
    print("Building the core with counters, for a profile of its runs ...", file=sys.stderr)
    counting = {"RUSTFLAGS": f"-Cprofile-generate={counts}", "CARGO_TARGET_DIR": str(KEPT / "counting")}
    build = ["cargo", "build", "--release", "--locked", "--package", "sojourn-python"]
    subprocess.run(build, cwd=ROOT, check=True, env=os.environ | counting)
    # Counts of the build's own programs are of no use.
    shutil.rmtree(counts)
    package = with_core(KEPT / "counting" / "release" / "lib_core.so")
    for number, line in enumerate(TRAINING, start=1):
        print(f"Run {number} of {len(TRAINING)}: {line}", file=sys.stderr)
        run = [sys.executable, "-m", "sojourn", "run", *line.split(), "--set", "warmup=1s"]
        subprocess.run(
            run, cwd=KEPT, check=True, env=os.environ | {"PYTHONPATH": str(package)}, stdout=subprocess.DEVNULL
        )
    # The profile is moved to its place when it is complete.
    whole = PROFILE.with_suffix(".new")
    subprocess.run([merge, "merge", "--output", whole, *sorted(counts.glob("*.profraw"))], check=True)
    whole.replace(PROFILE)


def with_core(library: Path) -> Path:
    """A folder with the Python package and this core in it."""
    folder = KEPT / "package"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(
        ROOT / "python" / "sojourn",
        folder / "sojourn",
        ignore=shutil.ignore_patterns("_core*.so", "_lab", "__pycache__"),
    )
    shutil.copy(library, folder / "sojourn" / "_core.abi3.so")
    return folder


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
