"""Common parts of all commands: errors become one message and an exit code, data become JSON, results a report."""

from __future__ import annotations

import errno
import functools
import json
import math
import os
import shlex
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, NoReturn, ParamSpec

import typer

from .._base import ctrl_c
from .._base.checks import is_ctrl_c, printable
from .._base.extras import advice, need
from .._base.files import StudyWarning, check_writable
from .._base.files import check_folder as try_folder
from .._base.nearest import few_names, nearest, nearest_hint
from ..catalogue.names import absent, familiar, is_known
from ..catalogue.warnings import NoHookWarning, WordWarning
from ..scenario import shipped
from ..scenario.queue_text import is_queue
from ..showing.text import prose
from .stopping import STOPPED, say_stopped
from .streams import json_only, output

__all__ = [
    "check_apart",
    "check_file",
    "check_folder",
    "check_output",
    "check_page",
    "check_report",
    "check_scenario",
    "fail",
    "guarded",
    "print_json",
]

_P = ParamSpec("_P")

_LISTS = {
    "queue": "queues",
    "transport": "transports",
    "congestion control": "controls",
    "application": "traffic",
    "loss model": "losses",
}
"""The word of ``sojourn list`` for the names of each kind."""
_UNREAD = 128 + 13
"""The exit code of a program that SIGPIPE ends."""
_REPORT = "  hint:    please report it, with the output under SOJOURN_TRACEBACK=1 in the environment"


def fail(message: str, code: int) -> NoReturn:
    """Say why on stderr and leave; of wrong input nothing else is said."""
    prose.tell_held(drop=code == 2)
    prose.tell(f"error: {printable(message)}")
    raise typer.Exit(code)


def guarded(command: Callable[_P, None]) -> Callable[_P, None]:
    """Map the errors of a command to messages.

    Wrong input is 2, and so is a file or a folder that cannot be read or written; a fault of ours is 1.
    """

    @functools.wraps(command)
    def wrapper(*args: _P.args, **kwargs: _P.kwargs) -> None:
        alone = json_only() if kwargs.get("json") else nullcontext()
        try:
            with _plain_warnings(), alone:
                ctrl_c.let_through()
                command(*args, **kwargs)
            sys.stdout.flush()
            prose.tell_held()
        except KeyboardInterrupt as stopped:
            ctrl_c.ignore()
            say_stopped(str(stopped))
            raise typer.Exit(STOPPED) from None
        except BrokenPipeError:
            _leave_unread()
        except ValueError as error:
            fail(_in_our_words(error), 2)
        except (FileExistsError, FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
            fail(_os_message(error), 2)
        except OSError as error:
            fail(_os_message(error), 2 if error.filename else 1)
        except RecursionError:
            fail("something in it is nested too deeply to be read", 2)
        except MemoryError as error:
            fail(str(error) or "there is no memory left", 1)
        except (typer.Exit, typer.Abort, typer.BadParameter):
            raise
        except SystemExit as ended:
            if isinstance(ended.__context__, BrokenPipeError):
                # rich ends Python this way when nobody reads the output any more.
                _leave_unread()
            how = repr(ended.code) if isinstance(ended.code, str) else f"exit code {ended.code or 0}"
            fail(f"a class or a file of yours ended Python ({how})", 1)
        except Exception as fault:
            if is_ctrl_c(fault):
                say_stopped()
                raise typer.Exit(STOPPED) from None
            if _is_of_a_hook(fault):
                fail(str(fault), 1)
            if os.environ.get("SOJOURN_TRACEBACK"):
                raise
            if isinstance(fault, ModuleNotFoundError) and (needed := advice(fault)):
                fail(needed, 2)
            fail(f"this is a fault of Sojourn: {type(fault).__name__}: {fault}\n{_REPORT}", 1)
        finally:
            ctrl_c.hold_back()

    return wrapper


def _leave_unread() -> NoReturn:
    """Leave silently when nobody reads the output any more (``| head``), as a program that SIGPIPE ends."""
    with suppress(OSError, ValueError):
        # The text that Python writes at its end goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise typer.Exit(_UNREAD) from None


def _in_our_words(error: ValueError) -> str:
    """The message; with the meaning here of a word that another tool uses."""
    key, found, allowed, own = (str(getattr(error, name, "")) for name in ("key", "found", "allowed", "hint"))
    word = found.strip('"') or key.rpartition(".")[2]
    if not word or not allowed:
        return str(error)
    listed = next(
        (f"sojourn list {kind}" for what, kind in _LISTS.items() if f"no {what} of this name" in str(error)), ""
    )
    if meant := familiar(word, allowed):
        hint = f'  hint:    {word} is called "{meant}" here'
    elif near := absent(word):
        hint = f"  hint:    Sojourn has no {word}: {near}"
    elif not own and is_known(word):
        hint = f"  hint:    sojourn explain {word} explains its name here"
    elif listed and (not own or own.endswith("?")):
        hint = f"  hint:    {f'{own} {listed}'.strip()} shows all"
    else:
        return str(error)
    lines = [line for line in str(error).split("\n") if not line.startswith("  hint:")]
    if not few_names(allowed, alone=False):
        # The hint says the name that is meant.
        lines = [line for line in lines if not line.startswith("  allowed:")]
    return "\n".join([*lines, hint])


def _is_of_a_hook(fault: Exception) -> bool:
    from ..own._failure import HookError

    return isinstance(fault, HookError)


@contextmanager
def _plain_warnings() -> Iterator[None]:
    """Show warnings about a study directory, or a class of the user's, as messages without the place in our code."""

    def show(message: Warning | str, category: type[Warning], *rest: Any, **named: Any) -> None:
        if issubclass(category, StudyWarning | NoHookWarning):
            prose.tell(f"warning: {printable(str(message))}")
        elif issubclass(category, WordWarning):
            # A queue may be read in several places.
            if str(message) not in told:
                prose.hold(f"note: {printable(str(message))}")
            told.add(str(message))
        else:
            usual(message, category, *rest, **named)

    told: set[str] = set()
    with warnings.catch_warnings():
        usual = warnings.showwarning
        warnings.showwarning = show
        warnings.simplefilter("always", StudyWarning)
        warnings.simplefilter("always", NoHookWarning)
        warnings.simplefilter("always", WordWarning)
        yield


def _os_message(error: OSError) -> str:
    if error.strerror is None:
        return str(error)
    if error.filename:
        return f"{error.filename}: {error.strerror.lower()}"
    if error.errno == errno.ENOENT and not _is_somewhere():
        return "the working directory is not there any more: it was deleted or renamed"
    return f"standard output: {error.strerror.lower()}" if _is_of_stdout(error) else error.strerror


def _is_somewhere() -> bool:
    """Whether the working directory is there."""
    try:
        os.getcwd()  # noqa: PTH109 - pathlib asks the same
    except OSError:
        return False
    return True


def _is_of_stdout(error: OSError) -> bool:
    """Whether a print failed; an error of a file has the file's name."""
    frames = traceback.extract_tb(error.__traceback__)
    line = (frames[-1].line or "") if frames else ""
    # The last one is how rich writes a table.
    return line.startswith(("print(", "sys.stdout.", "output().", "self.file.")) and "stderr" not in line


def check_file(path: Path, what: str, otherwise: str = "") -> None:
    """Refuse a file that is not there, with the nearest name in its directory, or the hint `otherwise`."""
    if path.is_dir():
        article = "an" if what[0] in "aeiou" else "a"
        raise ValueError(f"{path} is a directory; name {article} {what} file")
    if path.is_block_device() or (path.is_char_device() and not _is_a_stream(path)):
        raise ValueError(f"{path} is a device; name a file")
    if path.exists():
        return
    message = f"there is no {what} file {path}"
    near = _near(path)
    if near:
        message += f"\n  hint:    did you mean {path.parent / near}?"
    elif otherwise:
        message += f"\n  hint:    {otherwise}"
    raise ValueError(message)


def _is_a_stream(path: Path) -> bool:
    """Whether a device ends: a terminal, or the empty one."""
    return path.is_relative_to("/dev/fd") or str(path) in {"/dev/stdin", "/dev/null"} or "tty" in path.name


def _near(path: Path) -> str | None:
    """The file beside a missing file with nearly its name; none in a folder that cannot be read."""
    try:
        siblings = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return None
    return nearest(path.name, siblings)


def check_scenario(named: Path, what: str = "scenario") -> Path:
    """The file of a scenario, or the one of that name that comes with Sojourn."""
    found = shipped.find(named)
    if not found.exists() and (queue := is_queue(str(named))):
        hint = f"sojourn run red_classic --set {shlex.quote(f'dumbbell.queue={named}')}"
        raise ValueError(f"{named}: this is {queue}, and a {what} is wanted\n  hint:    it is set in one: {hint}")
    if not found.exists() and named.parent == Path():
        near = nearest_hint(named.stem, shipped.names())
        if near and not _near(named):
            raise ValueError(f"there is no {what} file {named}{near} See: sojourn list scenarios")
    check_file(found, what, "sojourn list scenarios shows those that come with Sojourn; sojourn init writes one")
    if what == "scenario":
        from .._base.toml import is_study_file

        if is_study_file(found):
            raise ValueError(f"{named}: this is a study file: it has axes\n  hint:    sojourn sweep {named}")
    return found


def check_report(path: Path | None) -> None:
    """Refuse a report that could not be written, before anything is run."""
    if path is None:
        return
    need("report")
    if path.suffix.lower() not in {".html", ".htm"}:
        raise ValueError(f"--report {path}: a report is an HTML file; give a name that ends in .html")
    if path.is_dir():
        raise ValueError(f"--report {path}: this is a directory")
    if not path.parent.is_dir():
        raise ValueError(f"--report {path}: there is no directory {path.parent}")
    check_output(path, "--report")


def check_page(path: Path, option: str) -> None:
    """Refuse a page that could not be written, before anything is run."""
    if path.is_dir():
        raise ValueError(f"{option} {path}: this is a directory; name a file that ends in .md")
    if not path.parent.is_dir():
        raise ValueError(f"{option} {path}: there is no directory {path.parent}")
    check_output(path, option)


def check_output(path: Path, option: str) -> None:
    """Refuse a file that cannot be written, before anything is run."""
    try:
        check_writable(path)
    except OSError as error:
        raise ValueError(f"{option} {path}: it cannot be written: {(error.strerror or str(error)).lower()}") from None


def check_folder(path: Path | None, option: str = "--out") -> None:
    """Refuse a folder into which nothing can be written, before anything is run; it need not be there yet."""
    if path is None:
        return
    try:
        try_folder(path)
    except NotADirectoryError as error:
        raise ValueError(f"{option} {path}: {error.filename} is a file; name a folder") from None
    except OSError as error:
        raise ValueError(f"{option} {path}: it cannot be written: {(error.strerror or str(error)).lower()}") from None


def check_apart(**places: Path | None) -> None:
    """Refuse two outputs of one name, before anything is run; `places` are options without their dashes."""
    taken: dict[str, str] = {}
    for option, place in places.items():
        if place is None:
            continue
        meant = os.path.abspath(place)  # noqa: PTH100 - pathlib leaves ".." as it is
        if other := taken.get(meant):
            raise ValueError(f"--{other} and --{option} both name {place}\n  hint:    give each a name of its own")
        taken[meant] = option


def print_json(content: Any) -> None:
    """Print JSON; infinite numbers and NaN become null."""
    to = output()
    whole = (to.encoding or "utf-8").lower().startswith("utf")
    print(json.dumps(_finite(content), indent=2, ensure_ascii=not whole), file=to)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
