"""A real server on loopback and a real Chromium that talks to nobody else."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from tests.web.conftest import PASSWORD, PATIENCE, Bench, eventually, make_bench, missing, sqlite_in

from incognote.web.store.database.connection import Store

CHROMIUM = "/usr/bin/chromium"
expect.set_options(timeout=1000 * PATIENCE)
QUIET = (
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
    "--no-pings",
    "--metrics-recording-only",
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if not Path(CHROMIUM).exists():
        missing("Chromium is not installed (apt-get install chromium)")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(
            executable_path=CHROMIUM, headless=True, args=[*QUIET, "--dns-prefetch-disable"]
        )
        yield found
        found.close()


class Server:
    """`incognote web serve` as a process of its own, so that it can be killed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Below the ports that the system gives to connections: nobody gets ours while a server that
        # was killed starts again.
        self.port = 10_000 + 7 * os.getpid() % 20_000
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """On the same port each time; the first time on the next one that is free."""
        first = self.process is None
        while not self._starts():
            assert first, f"the server does not start again: {self.log[-2000:]}"
            self.port += 1

    def _starts(self) -> bool:
        """Whether it listens: it says so, or it ends."""
        before = self.log.count(self.url) if self.process else 0
        root = Path(__file__).parents[3]
        environment = {**os.environ, "PYTHONPATH": str(root / "src")}
        command = [sys.executable, "-m", "incognote", "web", "serve", str(self.folder)]
        with (self.folder / "server.log").open("ab") as log:
            process = subprocess.Popen(
                [*command, "--port", str(self.port), "--workers", "0"],
                env=environment,
                stdout=log,
                stderr=log,
            )
        self.process = process
        eventually(
            lambda: self.log.count(self.url) > before or process.poll() is not None,
            "the server starts",
        )
        return process.poll() is None

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait(20)

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()

    @property
    def log(self) -> str:
        return (self.folder / "server.log").read_text()


class People:
    """Pages of signed-in people. What goes wrong in any of them is remembered."""

    def __init__(self, browser: Browser, server: Server, bench: Bench) -> None:
        self.browser, self.server, self.bench = browser, server, bench
        self.contexts: list[BrowserContext] = []
        self.elsewhere: list[str] = []
        self.complaints: list[str] = []

    def page(self, name: str, *roles: str, admin: bool = False, **options: object) -> Page:
        if name not in self.bench.ids:
            self.bench.person(name, *roles, admin=admin)
        context = self.browser.new_context(
            base_url=self.server.url, viewport={"width": 1360, "height": 860}, **options
        )
        context.set_default_timeout(1000 * PATIENCE)
        self.contexts.append(context)
        page = context.new_page()
        self.watch(page)
        page.goto("/sign-in")
        page.fill("input[name=name]", self.bench.account(name))
        page.fill("input[name=password]", PASSWORD)
        page.click("button[type=submit]")
        page.wait_for_url(f"{self.server.url}/")
        return page

    def watch(self, page: Page) -> None:
        """Requests to other hosts, and everything the browser refuses or throws."""

        def asked(request) -> None:  # type: ignore[no-untyped-def]
            if not request.url.startswith((self.server.url, "blob:")):
                self.elsewhere.append(request.url)

        def said(message) -> None:  # type: ignore[no-untyped-def]
            if "Content Security Policy" in message.text or "TrustedHTML" in message.text:
                self.complaints.append(message.text)

        page.on("request", asked)
        page.on("console", said)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.add_init_script(
            "addEventListener('securitypolicyviolation',"
            " (event) => console.error('Content Security Policy ' + event.violatedDirective))"
        )

    def close(self) -> None:
        for context in self.contexts:
            context.close()
        assert self.elsewhere == []
        assert self.complaints == []


@pytest.fixture(scope="session")
def served() -> Iterator[tuple[Store, Server]]:
    """One workbench for all browser tests; each of them has a project and people of its own."""
    folder = Path(tempfile.mkdtemp(prefix="incognote-web-"))
    for store in sqlite_in(folder):
        server = Server(store.site.folder)
        server.start()
        try:
            yield store, server
        finally:
            server.stop()
    shutil.rmtree(folder, ignore_errors=True)


_numbers = itertools.count(1)


@pytest.fixture
def workshop(served: tuple[Store, Server], browser: Browser) -> Iterator[People]:
    """At the end of a test nothing was asked of another host, and nothing refused."""
    store, server = served
    people = People(browser, server, make_bench(store, f"-{next(_numbers)}"))
    try:
        yield people
    finally:
        people.close()
