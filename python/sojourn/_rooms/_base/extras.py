"""Parts that are installed on demand: the modules that each needs, and the message where one is missing."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from typing import Any

__all__ = ["advice", "need", "theirs"]

# Modules of each extra, and the distributions that have them, as `pyproject.toml` installs them.
_EXTRAS = {
    "report": {"altair": "altair", "vl_convert": "vl-convert-python", "jinja2": "jinja2"},
    "dask": {"distributed": "distributed", "dask": "distributed"},
    "tune": {"optuna": "optuna"},
    "env": {"gymnasium": "gymnasium"},
}
_USES = {
    "report": "plots and reports",
    "dask": "runs on several machines",
    "tune": "searches for parameters",
    "env": "environments for agents",
}


def need(extra: str) -> None:
    """Refuse a feature if the extra that it needs is not installed.

    Raises
    ------
    ModuleNotFoundError
        With the packages to install.
    """
    for module in _EXTRAS[extra]:
        if find_spec(module) is None:
            raise ModuleNotFoundError(_message(extra), name=module)


def theirs(module: str, use: str) -> Any:
    """A library that only its users need.

    Raises
    ------
    ModuleNotFoundError
        If it is not installed, with the package to install.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise ModuleNotFoundError(f"{use} needs {module}\n  hint:    pip install {module}", name=module) from None


def advice(error: ModuleNotFoundError) -> str | None:
    """The advice which extra to install for the missing module; None if it belongs to no extra."""
    missing = (error.name or "").partition(".")[0]
    return next((_message(extra) for extra, modules in _EXTRAS.items() if missing in modules), None)


def _message(extra: str) -> str:
    # The libraries themselves: pip finds them, too, where Sojourn is a wheel's file or a checkout.
    libraries = " ".join(f'"{library}"' for library in _libraries(extra))
    return f"{_USES[extra]} need libraries that are not installed\n  hint:    pip install {libraries}"


def _libraries(extra: str) -> list[str]:
    """The libraries of an extra with their ranges, as ``optuna>=5.0``; without ranges if Sojourn is not installed."""
    # Read here: it takes a tenth of the time in which a command starts, and only this message needs it.
    from importlib import metadata

    try:
        known = metadata.requires("sojourn") or []
    except metadata.PackageNotFoundError:
        known = []
    found = [re.fullmatch(rf"([^;]+?)\s*;\s*extra\s*==\s*['\"]{extra}['\"]", one.strip()) for one in known]
    return [match[1] for match in found if match] or list(dict.fromkeys(_EXTRAS[extra].values()))
