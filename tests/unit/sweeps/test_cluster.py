"""Faults of a Dask cluster: one message each, no traceback, and nobody waits for ever."""

import asyncio
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

pytest.importorskip("distributed")

from distributed.comm import connect
from distributed.security import Security

# These start processes or whole runs: `make check` leaves them out.
pytestmark = pytest.mark.slow

SCENARIO = """
duration = "2s"
[dumbbell]
rate = "2Mbit"
delay = "10ms"
queue = { kind = "red", limit = "50p" }
[[flow]]
"""
LONG = SCENARIO.replace('"2s"', '"20000s"')
WITHOUT = "import sys; sys.modules['sojourn'] = None; "
WORKER = "from distributed.cli.dask_worker import main; main()"
TLS = ("tls_ca_file", "tls_client_cert", "tls_client_key")
# The promise is ten seconds; a machine whose cores do other things is slower to start Python twice.
MOST_S = 10.0 if (os.getloadavg()[0] < 3) else 40.0


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def listening(port):
    until = time.monotonic() + 60.0
    while time.monotonic() < until:
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("nobody listens")


class Cluster:
    """A scheduler and its workers, each a process."""

    def __init__(self, folder, *more, tls=False):
        self.port, self.folder, self.more, self.started = free_port(), folder, more, []
        self.kind = "tls" if tls else "tcp"
        code = "from distributed.cli.dask_scheduler import main; main()"
        self.scheduler = self._start(code, "--host", f"{self.kind}://127.0.0.1", "--port", self.port, "--no-dashboard")
        listening(self.port)

    def _start(self, code, *words, **environment):
        words = [sys.executable, "-c", code, *map(str, words), *self.more]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        one = subprocess.Popen(words, cwd=self.folder, env={**os.environ, **environment}, **quiet)
        self.started.append(one)
        return one

    def worker(self, code=WORKER, security=None, **environment):
        """Start one, and wait until the scheduler knows it."""
        options = ["--no-nanny", "--nthreads", "1", "--no-dashboard", "--local-directory", self.folder]
        one = self._start(code, f"{self.kind}://127.0.0.1:{self.port}", *options, **environment)
        until = time.monotonic() + 60.0
        while not self.asked("identity", security)["workers"]:
            assert time.monotonic() < until, "the worker does not come"
            time.sleep(0.2)
        return one

    def asked(self, what, security=None):
        """The answer of the scheduler."""

        async def ask():
            more = security.get_connection_args("client") if security else {}
            connection = await connect(f"{self.kind}://127.0.0.1:{self.port}", timeout=20, **more)
            try:
                await connection.write({"op": what, "reply": True})
                return await connection.read()
            finally:
                connection.abort()

        return asyncio.run(ask())

    def end(self):
        for one in self.started:
            one.kill()
            one.wait()


@pytest.fixture
def cluster(tmp_path):
    made = Cluster(tmp_path)
    yield made
    made.end()


def sweep(folder, place, text=SCENARIO, **environment):
    (folder / "s.toml").write_text(text)
    words = ["sweep", "s.toml", "--over", "dumbbell.rate=1Mbit,2Mbit", "--seeds", "2", "--on", place]
    return subprocess.Popen(
        [sys.executable, "-m", "sojourn", *words],
        cwd=folder,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def told(process, since, most=MOST_S):
    """The one message, which has come within the time that is promised."""
    out, said = process.communicate(timeout=90)
    assert time.monotonic() - since < most, said
    assert out == ""
    assert "Traceback" not in said
    assert "fault of Sojourn" not in said
    assert said.count("error: ") == 1, said
    return process.returncode, said


def test_a_scheduler_without_workers(cluster, tmp_path):
    code, said = told(sweep(tmp_path, f"dask://127.0.0.1:{cluster.port}"), time.monotonic())
    assert (code, "the scheduler has no workers\n  hint:    dask worker" in said) == (2, True), said


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.0 400 Bad Request\r\n\r\n", None])
def test_another_server_at_the_address(tmp_path, answer):
    """One that closes, one that speaks something else, and one that says nothing."""
    server = socket.create_server(("127.0.0.1", 0))
    kept = []

    def serve():
        while True:
            try:
                one, _ = server.accept()
            except OSError:
                return
            if answer is None:
                kept.append(one)
                continue
            one.sendall(answer)
            one.close()

    threading.Thread(target=serve, daemon=True).start()
    code, said = told(sweep(tmp_path, f"dask://127.0.0.1:{server.getsockname()[1]}"), time.monotonic())
    server.close()
    assert (code, "scheduler" in said) == (2, True), said


def test_nobody_at_the_address(tmp_path):
    code, said = told(sweep(tmp_path, f"dask://127.0.0.1:{free_port()}"), time.monotonic())
    assert (code, "no scheduler answers there" in said) == (2, True), said


def test_a_worker_without_sojourn(cluster, tmp_path):
    cluster.worker(WITHOUT + WORKER)
    code, said = told(sweep(tmp_path, f"dask://127.0.0.1:{cluster.port}"), time.monotonic())
    assert (code, "1 of 1 workers cannot import Sojourn" in said) == (2, True), said
    assert "install the same build on all of them" in said


def test_a_worker_of_another_version(cluster, tmp_path):
    other = tmp_path / "other" / "sojourn"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("")
    (other / "_core.py").write_text("def build():\n    return '0.0.1+of.another'\n")
    cluster.worker(PYTHONPATH=str(other.parent))
    code, said = told(sweep(tmp_path, f"dask://127.0.0.1:{cluster.port}"), time.monotonic())
    assert (code, "workers have Sojourn 0.0.1+of.another, and this is" in said) == (2, True), said


@pytest.mark.parametrize("who", ["scheduler", "worker"])
def test_what_dies_while_runs_are_away(cluster, tmp_path, who):
    """The scheduler, or the last worker."""
    worker = cluster.worker()
    place = f"dask://127.0.0.1:{cluster.port}"
    process = sweep(tmp_path, place, LONG)
    until = time.monotonic() + 60.0
    while not any(cluster.asked("processing").values()):
        assert process.poll() is None
        assert time.monotonic() < until, "no run has begun"
        time.sleep(0.2)
    {"scheduler": cluster.scheduler, "worker": worker}[who].kill()
    code, said = told(process, time.monotonic())
    words = "the scheduler is gone" if who == "scheduler" else "there are no workers any more"
    assert (code, words in said) == (1, True), said
    assert "the same command resumes" in said


def certificates(folder):
    """An authority, and a certificate of it for 127.0.0.1."""

    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    new = ["-newkey", "rsa:2048", "-nodes"]
    openssl("req", "-x509", *new, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=authority", "-days", "2")
    openssl("req", *new, "-keyout", "own.key", "-out", "own.csr", "-subj", "/CN=127.0.0.1")
    signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2"]
    openssl("x509", "-req", "-in", "own.csr", *signed, "-out", "own.pem")


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl here")
def test_tls_is_switched_on_by_the_place_and_by_dasks_own_settings(tmp_path):
    certificates(tmp_path)
    own = [str(tmp_path / name) for name in ("ca.pem", "own.pem", "own.key")]
    options = [word for pair in zip(("--tls-ca-file", "--tls-cert", "--tls-key"), own, strict=True) for word in pair]
    prefix = "DASK_DISTRIBUTED__COMM__TLS__"
    named = dict(zip((f"{prefix}CA_FILE", f"{prefix}CLIENT__CERT", f"{prefix}CLIENT__KEY"), own, strict=True))
    cluster = Cluster(tmp_path, *options, tls=True)
    try:
        cluster.worker(security=Security(require_encryption=True, **dict(zip(TLS, own, strict=True))))
        process = sweep(tmp_path, f"dask+tls://127.0.0.1:{cluster.port}", **named)
        out, said = process.communicate(timeout=90)
        assert (process.returncode, "Utilisation" in out) == (0, True), said
        # Without encryption nobody gets in, and without certificates neither.
        code, said = told(sweep(tmp_path, f"dask://127.0.0.1:{cluster.port}"), time.monotonic())
        assert (code, "scheduler" in said) == (2, True), said
        code, said = told(sweep(tmp_path, f"dask+tls://127.0.0.1:{cluster.port}"), time.monotonic())
        assert (code, "TLS needs certificates" in said) == (2, True), said
    finally:
        cluster.end()
    assert Path(own[0]).exists()
