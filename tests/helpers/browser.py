"""A headless Chromium over the DevTools protocol on a pipe: no driver, no port, no further package."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from importlib import resources
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar

CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)

_OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--remote-debugging-pipe",
)

# A page is laid out, its pictures are read and its scripts run, but no frame is drawn: a quarter less work for a page.
# `requestAnimationFrame` and `IntersectionObserver` then call nobody.
NO_FRAMES = "--disable-threaded-compositing"


class Page:
    """One page: its log, its requests to the network, and JavaScript in it."""

    def __init__(self, browser: Browser, session: str) -> None:
        self._browser = browser
        self._session = session
        self.errors: list[str] = []
        self.requests: list[str] = []
        browser.listeners[session] = self._hear
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """A command of the protocol."""
        return self._browser.call(method, self._session, **parameters)

    def size(self, width: int, height: int, *, phone: bool = False) -> None:
        """Sets the window's size in CSS pixels."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)

    def scheme(self, scheme: str) -> None:
        """Sets the preference of the reader's system, "light" or "dark"."""
        self.call("Emulation.setEmulatedMedia", media="", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, path: Path) -> None:
        """Opens a file and waits until its charts are drawn."""
        self.call("Page.navigate", url=path.resolve().as_uri())
        self.wait("document.documentElement?.dataset.ready === 'yes'")

    def wait(self, condition: str, seconds: float = 60.0) -> None:
        """Waits until a JavaScript expression is true."""
        end = time.monotonic() + seconds
        pause = 0.002
        while time.monotonic() < end:
            if self.run(condition):
                return
            time.sleep(pause)
            pause = min(2 * pause, 0.05)
        raise TimeoutError(f"{condition} did not come true; the page said {self.errors}")

    def run(self, expression: str) -> Any:
        """The value of a JavaScript expression."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def serious_faults(self) -> list[tuple[str, list[str]]]:
        """Faults that axe-core calls serious or critical: the rule, and the places."""
        self.run((resources.files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8"))
        found = self.run("axe.run({ resultTypes: ['violations'] }).then((result) => result.violations)")
        serious = [fault for fault in found if fault["impact"] in {"serious", "critical"}]
        return [(fault["id"], [node["html"][:200] for node in fault["nodes"]]) for fault in serious]

    def close(self) -> None:
        """Ends the page's scripts and forgets its storage, so that the browser's next page can have its process."""
        self.run("try { localStorage.clear(); sessionStorage.clear(); } catch { /* a page without storage */ }")
        self.call("Page.navigate", url="about:blank")
        self.wait("location.href === 'about:blank'")
        self.call("Emulation.clearDeviceMetricsOverride")
        self.call("Emulation.setEmulatedMedia", media="", features=[])
        self.errors, self.requests = [], []
        self._browser.pages.remove(self)
        self._browser.free.append(self)

    def picture(self, path: Path) -> None:
        """The whole page as PNG."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        answer = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(answer["data"]))

    def _hear(self, method: str, data: dict[str, Any]) -> None:
        if method == "Runtime.exceptionThrown":
            self.errors.append(str(data["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and data["type"] in {"error", "warning", "assert"}:
            self.errors.append(str([item.get("value", item.get("description")) for item in data["args"]]))
        elif method == "Log.entryAdded" and data["entry"]["level"] in {"error", "warning"}:
            self.errors.append(str(data["entry"]))
        elif method == "Network.requestWillBeSent":
            self.requests.append(data["request"]["url"])


class Browser:
    """A browser with a profile of its own, and with further options; close it, or use it in a `with`."""

    running: ClassVar[list[Browser]] = []

    def __init__(self, *options: str) -> None:
        assert CHROMIUM is not None, "no Chromium on the path"
        self.listeners: dict[str, Any] = {}
        self.pages: list[Page] = []
        self.free: list[Page] = []
        self._profile = tempfile.mkdtemp(prefix="sojourn-chromium-")
        their_in, self._out = os.pipe()
        self._in, their_out = os.pipe()
        # The browser reads commands from descriptor 3 and answers on 4.
        high_in, high_out = (fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (their_in, their_out))

        def wire() -> None:
            os.dup2(high_in, 3)
            os.dup2(high_out, 4)

        self._process = subprocess.Popen(
            [CHROMIUM, *_OPTIONS, *options, f"--user-data-dir={self._profile}", "about:blank"],
            preexec_fn=wire,
            close_fds=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for end in (their_in, their_out, high_in, high_out):
            os.close(end)
        self._buffer = b""
        self._number = 0
        self.running.append(self)

    def page(self) -> Page:
        """A new page without cookies and storage of another one."""
        # A new process takes half a second of a processor, and reads and compiles all scripts anew.
        if self.free:
            self.pages.append(self.free.pop())
            return self.pages[-1]
        context = self.call("Target.createBrowserContext")["browserContextId"]
        target = self.call("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.pages.append(Page(self, session))
        return self.pages[-1]

    def call(self, method: str, session: str | None = None, /, **parameters: Any) -> dict[str, Any]:
        """Sends a command and waits for its answer; events on the way go to their pages."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result
            hear = self.listeners.get(answer.get("sessionId", ""))
            # A message without a method is the late answer to a request that timed out.
            if hear is not None and "method" in answer:
                hear(answer["method"], answer["params"])

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], 180.0)
            chunk = os.read(self._in, 1 << 20) if ready else b""
            if not chunk:
                raise TimeoutError("the browser does not answer")
            self._buffer += chunk
        line, self._buffer = self._buffer.split(b"\0", 1)
        message: dict[str, Any] = json.loads(line)
        return message

    def close(self) -> None:
        """Ends the browser and removes its profile."""
        self.running.remove(self)
        try:
            self.call("Browser.close")
            self._process.wait(timeout=10)
        except (OSError, RuntimeError, TimeoutError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        os.close(self._out)
        shutil.rmtree(self._profile, ignore_errors=True)

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
