"""Files with classes of users: the files of ``--plugin FILE``."""

from __future__ import annotations

import importlib.util
import linecache
import sys
from os import PathLike
from pathlib import Path
from types import ModuleType

from ..catalogue.added import ADDED
from . import _classes
from ._failure import user_line

__all__ = ["load", "load_text"]


def load(path: str | PathLike[str]) -> list[str]:
    """Run a Python file and register the queues and window laws that it defines; gives their names.

    The file may import modules of its folder, which is the last place where Python looks for modules from then on.

    Raises
    ------
    ValueError
        If the file cannot be read or run, or defines none.
    """
    place = Path(path)
    try:
        text = place.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ValueError(f"{place}: it cannot be read: {(error.strerror or str(error)).lower()}") from None
    except UnicodeDecodeError:
        raise ValueError(f"{place}: this is not a text file in UTF-8") from None
    if (folder := str(place.resolve().parent)) not in sys.path:
        sys.path.append(folder)
    module = f"sojourn_plugin_{''.join(c if c.isalnum() else '_' for c in place.stem)}"
    load_text(module, place, text)
    names = [cls.name for cls in _classes.registered().values() if cls.__module__ == module]
    if not names and not any(one.__module__ == module for columns in ADDED.values() for one in columns.values()):
        raise ValueError(
            f"{place}: it defines no queue, no window law and no column\n"
            "  hint:    write class Mine(own.Policy) or class Mine(own.WindowLaw); see docs/own-queue.md"
        )
    return names


def load_text(module: str, path: Path, text: str) -> ModuleType:
    """Run the text of a plugin as a module of this name."""
    spec = importlib.util.spec_from_loader(module, loader=None, origin=str(path))
    assert spec is not None  # noqa: S101 - a name is enough for one
    made = importlib.util.module_from_spec(spec)
    made.__file__ = str(path)
    _classes.FILES[module] = (str(path), text)
    linecache.cache[str(path)] = (len(text), None, text.splitlines(keepends=True), str(path))
    sys.modules[module] = made
    try:
        exec(compile(text, str(path), "exec"), made.__dict__)  # noqa: S102 - the user asks for it
    except SystemExit as error:
        del sys.modules[module], _classes.FILES[module]
        raise ValueError(f"{path}: it ends Python (exit code {error.code}), and is to define classes") from None
    except KeyboardInterrupt:
        del sys.modules[module], _classes.FILES[module]
        raise
    except BaseException as error:
        del sys.modules[module], _classes.FILES[module]
        short = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        raise ValueError(f"{path}: {short}{user_line(error)}") from error
    return made
