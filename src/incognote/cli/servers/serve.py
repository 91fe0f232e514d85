"""`incognote serve`: de-identify over HTTP."""

from __future__ import annotations

import argparse
import ssl
from pathlib import Path
from typing import TYPE_CHECKING

from incognote.cli import DONE
from incognote.cli.options import add_key, key_from
from incognote.core.errors import MissingExtra, UsageError
from incognote.policy import DEFAULT, load_policy

if TYPE_CHECKING:
    import uvicorn

    from incognote.serve.settings import ServeSettings

# How long a stopping service goes on answering what it has begun.
_GRACE_SECONDS = 30


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--policy",
        metavar="P",
        action="append",
        default=[],
        help="a preset or a TOML file to serve under its name; may be repeated, the first is the "
        f"default (default: {DEFAULT})",
    )
    add_key(parser)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at")
    parser.add_argument("--port", type=int, default=8080, help="port to listen at (default: 8080)")
    parser.add_argument(
        "--workers", type=int, default=1, metavar="N", help="worker processes (default: 1)"
    )
    parser.add_argument(
        "--allow-anonymize",
        action="store_true",
        help="serve Presidio's /anonymize, which replaces only what the caller marks",
    )
    group = parser.add_argument_group("who may ask")
    group.add_argument(
        "--tokens",
        metavar="FILE",
        type=Path,
        help="TOML file of bearer tokens; needed unless only this machine can reach the address",
    )
    group.add_argument("--tls-cert", metavar="FILE", type=Path, help="certificate of the service")
    group.add_argument("--tls-key", metavar="FILE", type=Path, help="its private key")
    group.add_argument(
        "--tls-client-ca",
        metavar="FILE",
        type=Path,
        help="let in only clients with a certificate of this authority",
    )


def run(args: argparse.Namespace) -> int:
    server = server_from(args)
    config = server.config
    print(f"incognote serve: {', '.join(args.policy or [DEFAULT])} at {config.host}:{config.port}")
    server.run()
    return DONE


def server_from(args: argparse.Namespace) -> uvicorn.Server:
    """The service, ready to listen."""
    try:
        import uvicorn

        from incognote.serve.app import create_app
    except ModuleNotFoundError:
        raise MissingExtra("the service", "serve") from None

    settings = settings_from(args)
    config = uvicorn.Config(
        create_app(settings),
        host=settings.host,
        port=settings.port,
        access_log=False,  # ours says what is needed and no path
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        h11_max_incomplete_event_size=64 * 1024,
        ssl_certfile=args.tls_cert,
        ssl_keyfile=args.tls_key,
        ssl_ca_certs=str(args.tls_client_ca) if args.tls_client_ca else None,
        ssl_cert_reqs=ssl.CERT_REQUIRED if args.tls_client_ca else ssl.CERT_NONE,
    )
    return uvicorn.Server(config)


def settings_from(args: argparse.Namespace) -> ServeSettings:
    from incognote.serve.settings import ServeSettings
    from incognote.serve.tokens import Tokens, read_tokens

    if args.workers < 1:
        raise UsageError("--workers: must be at least 1")
    if bool(args.tls_cert) != bool(args.tls_key):
        raise UsageError("--tls-cert and --tls-key go together")
    if args.tls_client_ca and not args.tls_cert:
        raise UsageError("--tls-client-ca needs --tls-cert and --tls-key")
    policies = {}
    for name in args.policy or [DEFAULT]:
        policy = load_policy(name)
        if policy.name in policies:
            raise UsageError(f"two policies are named {policy.name!r}")
        policies[policy.name] = policy
    return ServeSettings(
        policies=policies,
        key=key_from(args),
        host=args.host,
        port=args.port,
        workers=args.workers,
        tokens=read_tokens(args.tokens) if args.tokens else Tokens(),
        mutual_tls=args.tls_client_ca is not None,
        allow_anonymize=args.allow_anonymize,
    )
