"""Running the server: on loopback, unless it is given a certificate or follows a proxy."""

from __future__ import annotations

import ipaddress
import logging
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from incognote.core.errors import UsageError
from incognote.web.http.app import LARGEST_UPLOAD, create_app
from incognote.web.http.oidc import Provider
from incognote.web.store.database import schema
from incognote.web.store.database.connection import Store
from incognote.web.store.site import Site


@dataclass(frozen=True, slots=True)
class Serving:
    host: str = "127.0.0.1"
    port: int = 8422
    certificate: Path | None = None
    private_key: Path | None = None
    behind_proxy: bool = False
    workers: int = 1
    largest_upload: int = LARGEST_UPLOAD

    @property
    def https(self) -> bool:
        return self.certificate is not None or self.behind_proxy


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check(serving: Serving) -> None:
    """Notes do not travel in the clear: who opens a port to others brings encryption along."""
    if not is_loopback(serving.host) and not serving.https:
        raise UsageError(
            f"{serving.host} is not this machine alone: give --certificate and --private-key, "
            "or --behind-proxy where a proxy on this machine speaks HTTPS"
        )
    if (serving.certificate is None) != (serving.private_key is None):
        raise UsageError("--certificate and --private-key belong together")
    if not 0 <= serving.port <= 65_535:
        raise UsageError(f"there is no port {serving.port}")


def listening(serving: Serving) -> socket.socket:
    """A socket, opened before anything else starts: a port that is taken is said at once, and
    port 0 is any that is free."""
    try:
        found = socket.getaddrinfo(serving.host, serving.port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(found[4][:2], family=found[0], backlog=2048)
    except OSError as error:
        # Names that are not found have numbers of their own, below zero.
        number = error.errno or 0
        reason = os.strerror(number) if number > 0 else error.strerror
        raise UsageError(f"{serving.host}:{serving.port} cannot be opened: {reason}") from None


def serve(site: Site, serving: Serving, ready: Callable[[str], None]) -> None:
    """Runs until it is ended; `ready` hears the address as soon as somebody may ask there."""
    import uvicorn

    check(serving)
    store = Store(site)
    schema.check(store.engine)
    provider = Provider(site.oidc) if site.oidc else None
    app = create_app(
        store, https=serving.https, largest_upload=serving.largest_upload, oidc=provider
    )
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s: %(message)s")
    # Addresses of pages hold numbers only, but what people look for appears in the query.
    config = uvicorn.Config(
        app,
        access_log=False,
        log_level="warning",
        server_header=False,
        proxy_headers=serving.behind_proxy,
        forwarded_allow_ips="127.0.0.1" if serving.behind_proxy else "",
        ssl_certfile=str(serving.certificate) if serving.certificate else None,
        ssl_keyfile=str(serving.private_key) if serving.private_key else None,
        limit_concurrency=1000,
        timeout_keep_alive=30,
    )
    with listening(serving) as opened, worker_processes(site, serving.workers):
        host = f"[{serving.host}]" if ":" in serving.host else serving.host
        scheme = "https" if serving.certificate else "http"
        ready(f"{scheme}://{host}:{opened.getsockname()[1]}/")
        uvicorn.Server(config).run(sockets=[opened])
    store.close()


@contextmanager
def worker_processes(site: Site, count: int) -> Iterator[None]:
    """Workers beside the server; they end with it."""
    started = [
        subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-m", "incognote", "web", "work", str(site.folder), "--with-parent"],
            stdin=subprocess.PIPE,
        )
        for _ in range(count)
    ]
    try:
        yield
    finally:
        for process in started:
            if process.stdin:
                process.stdin.close()
            process.terminate()
        for process in started:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
