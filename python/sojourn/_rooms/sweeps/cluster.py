"""A Dask cluster as the place of a sweep, and messages if it cannot be one, each within ten seconds.

Dask waits for ever for a scheduler that does not answer and for workers that do not come. So the scheduler is asked
first, over a connection of our own, and again from time to time while runs are away.
"""

from __future__ import annotations

import asyncio
import logging
import re
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from ... import _core
from .._base.extras import need
from .._base.files import StudyWarning
from .executor import Elsewhere, refusal

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

__all__ = ["executor_of"]

T = TypeVar("T")

_ANSWER_S = 4.0
"""Seconds for one answer of a scheduler."""
_WORKERS_S = 4.0
"""Seconds for the first worker to come, and for all workers to name their build."""
_LOOK_S = 2.0
"""Seconds between two looks at the cluster while runs are away."""
_ALONE_S = 5.0
"""Seconds without any worker until a message."""
_DIED = 2
"""The number of workers that died since the last run came back, until a message."""

_PLACE = re.compile(r"(dask(?:\+tls)?)://(\[[0-9a-fA-F:.]+\]|[^\[\]/:@\s]+):([0-9]{1,5})")
_ALLOWED = "\n  allowed: local, dask://HOST:PORT, dask+tls://HOST:PORT"
_KEPT = "\n  hint:    with --out DIR finished runs are kept, and the same command resumes"

# The function is sent by value: a worker without Sojourn can then report that it has none.
_ASKED = """
def build_of_sojourn():
    try:
        from sojourn import _core
        return _core.build()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
"""


def executor_of(place: str) -> AbstractContextManager[Elsewhere]:
    """The executor of ``dask://HOST:PORT``, or with encryption ``dask+tls://HOST:PORT``.

    Raises
    ------
    ValueError
        If it is neither, if Dask is not installed, if nobody answers or something else does, if there are no workers,
        or if one has no Sojourn of this build.
    """
    found = _PLACE.fullmatch(place)
    if found is None or not 0 < int(found[3]) < 65536:
        has_no_port = re.fullmatch(r"dask(\+tls)?://(\[[^\]]+\]|[^\[\]/:@\s]+)", place)
        why = "the port is missing" if has_no_port else "there is no such place"
        raise ValueError(f"--on {place}: {why}{_ALLOWED}")
    return _dask(place, f"{'tls' if '+' in found[1] else 'tcp'}://{found[2]}:{found[3]}")


@contextmanager
def _dask(place: str, address: str) -> Iterator[Elsewhere]:
    need("dask")
    distributed: Any = import_module("distributed")
    with _silent():
        cluster = _Cluster(place, address, _security(distributed, place, address))
        cluster.check()
        timed_out = f"--on {place}: the scheduler does not answer"
        client = _within(
            2 * _ANSWER_S,
            lambda: distributed.Client(
                address, timeout=_ANSWER_S, set_as_default=False, security=cluster.security, heartbeat_interval=1000
            ),
            timed_out,
        )
        broken = True
        try:
            builds = _within(_WORKERS_S, lambda: client.run(_build_of_worker(), on_error="return"), timed_out)
            _check_builds(place, builds)
            # Runs are functions of scenario and seed: the run of a dying worker may be repeated.
            executor = client.get_executor(pure=False, retries=3)
            yield Elsewhere(executor, cluster.look, cluster.run_returned)
            broken = False
        finally:
            # A scheduler that is gone is not waited for.
            with suppress(Exception):
                _within(2.0 if broken else 20.0, lambda: client.close(timeout=1.0 if broken else 10.0), timed_out)


def _build_of_worker() -> Callable[[], str]:
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec(_ASKED, namespace)  # noqa: S102 - the text above
    found: Callable[[], str] = namespace["build_of_sojourn"]
    return found


def _check_builds(place: str, builds: Mapping[str, Any]) -> None:
    own = _core.build()
    wrong = {worker: str(build) for worker, build in builds.items() if build != own}
    without = {worker: told for worker, told in wrong.items() if "Error" in told}
    if without:
        worker, told = next(iter(without.items()))
        raise ValueError(
            f"--on {place}: {len(without)} of {len(builds)} workers cannot import Sojourn, such as {worker}: {told}\n"
            "  hint:    install the same build on all of them"
        )
    if wrong:
        raise ValueError(f"--on {place}: {refusal(own, set(wrong.values()))}")


def _security(distributed: Any, place: str, address: str) -> Any:
    """The security of a connection: none, or the certificates that Dask's configuration names."""
    if not address.startswith("tls://"):
        return None
    security = distributed.security.Security(require_encryption=True)
    if not (security.tls_ca_file and security.tls_client_cert):
        raise ValueError(
            f"--on {place}: TLS needs certificates\n"
            "  hint:    set DASK_DISTRIBUTED__COMM__TLS__CA_FILE, ..TLS__CLIENT__CERT and ..TLS__CLIENT__KEY; "
            "see docs/cluster.md"
        )
    return security


@dataclass
class _Cluster:
    """The state of a cluster, as its scheduler reports it."""

    place: str
    address: str
    security: Any
    _looked_s: float = field(default_factory=time.monotonic)
    _alone_since_s: float | None = None
    _workers: frozenset[str] = frozenset()
    _died: int = 0
    _said: bool = False

    def check(self) -> None:
        """Refuse an address without a scheduler, and a scheduler without workers.

        Raises
        ------
        ValueError
            With the finding.
        """
        until = time.monotonic() + _WORKERS_S
        while True:
            try:
                workers = self._ask()
            except _NoSchedulerError as error:
                raise ValueError(f"--on {self.place}: {error}") from None
            if workers:
                self._workers = workers
                return
            if time.monotonic() > until:
                hint = f"dask worker {self.address} --nthreads 1, on each machine"
                raise ValueError(f"--on {self.place}: the scheduler has no workers\n  hint:    {hint}")
            time.sleep(0.5)

    def run_returned(self) -> None:
        """A run came back."""
        self._died = 0

    def look(self) -> None:
        """See from time to time whether the cluster is still there.

        Raises
        ------
        ConnectionError
            If it is not.
        """
        now_s = time.monotonic()
        if now_s < self._looked_s + _LOOK_S:
            return
        try:
            workers = self._ask()
        except _NoSchedulerError as error:
            raise ConnectionError(f"--on {self.place}: the scheduler is gone: {error}{_KEPT}") from None
        self._looked_s = time.monotonic()
        self._died += len(self._workers - workers)
        self._workers = workers
        if workers:
            self._alone_since_s = None
        elif self._alone_since_s is None:
            self._alone_since_s = now_s
        elif now_s > self._alone_since_s + _ALONE_S:
            raise ConnectionError(f"--on {self.place}: there are no workers any more{_KEPT}")
        if self._died >= _DIED and not self._said:
            self._said = True
            text = f"{self._died} workers died, and no run came back since: a run may kill them"
            warnings.warn(f"{text}\n  hint:    memory, or a class of your own", StudyWarning, stacklevel=2)

    def _ask(self) -> frozenset[str]:
        """The workers of the scheduler."""
        try:
            answer = asyncio.run(asyncio.wait_for(self._answer(), _ANSWER_S))
        except TimeoutError:
            raise _NoSchedulerError("nothing that answers there is a scheduler of Dask") from None
        except OSError as error:
            # "in <...>: ConnectionRefusedError: [Errno 111] Connection refused"
            text = re.split(r": |\] ", str(error.__cause__ or error))[-1].strip().lower()
            raise _NoSchedulerError(f"no scheduler answers there: {text}") from None
        except Exception as error:
            raise _NoSchedulerError(
                "the program that answers there is no scheduler of Dask, or one of another version "
                f"({type(error).__name__})"
            ) from None
        if not isinstance(answer, dict) or answer.get("type") != "Scheduler":
            found = answer.get("type") if isinstance(answer, dict) else None
            raise _NoSchedulerError(
                f"the program that answers there is no scheduler{f' but a {found}' if found else ''}"
            )
        return frozenset(answer.get("workers", ()))

    async def _answer(self) -> Any:
        comm: Any = import_module("distributed.comm")
        more = {} if self.security is None else self.security.get_connection_args("client")
        connection = await comm.connect(self.address, timeout=_ANSWER_S - 1.0, **more)
        try:
            await connection.write({"op": "identity", "reply": True})
            return await connection.read()
        finally:
            connection.abort()


class _NoSchedulerError(Exception):
    """The message for an address where no scheduler answers."""


def _within(seconds: float, call: Callable[[], T], otherwise: str) -> T:
    """The result of a call that may wait for ever; then it is abandoned.

    Raises
    ------
    ValueError
        If it takes longer.
    """
    found: list[T] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            found.append(call())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    if found:
        return found[0]
    if failed and not isinstance(failed[0], OSError | TimeoutError):
        raise failed[0]
    raise ValueError(otherwise)


@contextmanager
def _silent() -> Iterator[None]:
    """Keep Dask from printing the same faults as tracebacks."""
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] in ("distributed", "tornado")]
    loggers = [logging.getLogger(name) for name in ["distributed", "tornado", "asyncio", *names]]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)
