"""Debian's Firefox, driven by Marionette, the protocol that is built into it.

Playwright drives a Firefox of its own, which Debian does not have, or one newer than the ESR; and
geckodriver, which Selenium needs, is no package of Debian. Marionette is JSON over a socket.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.web.conftest import PATIENCE

PROGRAM = "/usr/bin/firefox-esr"
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the web's name for a reference to an element
_PREFERENCES = {
    "marionette.port": 0,  # any that is free; Firefox writes it into the profile
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "app.update.enabled": False,
    # All that Firefox itself would ask goes nowhere; loopback needs no proxy.
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
}


class Firefox:
    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self._left = b""
        self._count = 0
        self._read()  # it introduces itself
        self.do("WebDriver:NewSession", capabilities={"alwaysMatch": {}})

    def do(self, command: str, **parameters: Any) -> Any:
        self._count += 1
        body = json.dumps([0, self._count, command, parameters]).encode()
        self._socket.sendall(str(len(body)).encode() + b":" + body)
        _, _, error, result = self._read()
        if error:
            raise AssertionError(f"{command}: {error['error']}: {error['message']}")
        return result["value"] if isinstance(result, dict) and "value" in result else result

    def _read(self) -> Any:
        while b":" not in self._left:
            self._left += self._more()
        size, _, rest = self._left.partition(b":")
        while len(rest) < int(size):
            rest += self._more()
        self._left = rest[int(size) :]
        return json.loads(rest[: int(size)])

    def _more(self) -> bytes:
        data = self._socket.recv(1 << 16)
        if not data:
            raise AssertionError("Firefox has gone")
        return data

    def close(self) -> None:
        self._socket.close()

    def open(self, url: str) -> None:
        self.do("WebDriver:Navigate", url=url)

    def script(self, source: str) -> Any:
        return self.do("WebDriver:ExecuteScript", script=source, args=[])

    def type(self, selector: str, keys: str) -> None:
        self.do("WebDriver:ElementSendKeys", id=self._find(selector), text=keys)

    def click(self, selector: str) -> None:
        self.do("WebDriver:ElementClick", id=self._find(selector))

    def _find(self, selector: str) -> str:
        found = self.do("WebDriver:FindElement", using="css selector", value=selector)
        return str(found[_ELEMENT])

    def wait(self, source: str) -> Any:
        """What a script says once it says something; a page may be between two others."""
        return waited(lambda: self.script(source), source)


def waited(ask: Callable[[], Any], what: str) -> Any:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            if found := ask():
                return found
        except (AssertionError, OSError, ValueError):
            pass
        time.sleep(0.1)
    raise AssertionError(f"waited in vain: {what}")


@contextmanager
def running() -> Iterator[Firefox]:
    folder = Path(tempfile.mkdtemp(prefix="incognote-firefox-"))
    lines = [f"user_pref({json.dumps(k)}, {json.dumps(v)});" for k, v in _PREFERENCES.items()]
    (folder / "user.js").write_text("\n".join(lines))
    process = subprocess.Popen(
        [PROGRAM, "--headless", "--marionette", "--no-remote", "--profile", str(folder)],
        env={**os.environ, "HOME": str(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        written = folder / "MarionetteActivePort"
        port = waited(lambda: written.exists() and int(written.read_text()), "Firefox starts")
        browser = Firefox(port)
        try:
            yield browser
        finally:
            browser.close()
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(20)
        shutil.rmtree(folder, ignore_errors=True)
