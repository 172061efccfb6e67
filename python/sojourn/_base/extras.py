"""Parts that are installed on demand: what each needs, and what to say where it is missing."""

from __future__ import annotations

from importlib.util import find_spec

__all__ = ["advice", "need"]

# Modules of each extra, as `pyproject.toml` installs them.
_EXTRAS = {
    "report": ("altair", "vl_convert", "jinja2"),
    "dask": ("distributed", "dask"),
    "tune": ("optuna",),
}
_WHAT = {"report": "plots and reports", "dask": "runs on several machines", "tune": "searches for parameters"}


def need(extra: str) -> None:
    """Refuse what an extra is needed for, unless it is there.

    Raises
    ------
    ModuleNotFoundError
        With what to install.
    """
    for module in _EXTRAS[extra]:
        if find_spec(module) is None:
            raise ModuleNotFoundError(_message(extra), name=module)


def advice(error: ModuleNotFoundError) -> str | None:
    """The extra to install for the module that is missing; None if it belongs to none."""
    missing = (error.name or "").partition(".")[0]
    return next((_message(extra) for extra, modules in _EXTRAS.items() if missing in modules), None)


def _message(extra: str) -> str:
    return (
        f"{_WHAT[extra]} need an extra that is not installed: {extra}\n"
        f'  hint:    pip install "sojourn[{extra}]", with the wheel\'s path before the bracket if you have it as a file'
    )
