"""What the service was started with. Nothing here changes while it runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from incognote.core.errors import UsageError
from incognote.policy import Policy
from incognote.serve.tokens import Tokens

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may ask for. Whatever is beyond is refused with a status that says so."""

    document_characters: int = 1_000_000
    body_bytes: int = 10_000_000
    documents: int = 1_000
    file_bytes: int = 50_000_000
    stream_line_bytes: int = 4_000_000
    json_depth: int = 32
    waiting_documents: int = 2_000
    seconds: float = 60.0  # for a batch or a file in a worker
    answer_seconds: float = 120.0
    body_seconds: float = 30.0


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """`policies` by the name that a request may give; the first is the default."""

    policies: Mapping[str, Policy]
    key: bytes = field(repr=False)
    host: str = "127.0.0.1"
    port: int = 8080
    workers: int = 1
    tokens: Tokens = field(default_factory=Tokens)
    mutual_tls: bool = False
    allow_anonymize: bool = False
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if not self.policies:
            raise UsageError("the service needs a policy")
        if self.host not in LOOPBACK and not self.tokens and not self.mutual_tls:
            raise UsageError(
                f"{self.host}: other machines can reach this address; give --tokens FILE or "
                "--tls-client-ca FILE, so that not everybody may ask"
            )
        for token in self.tokens.known:
            if token.policy and token.policy not in self.policies:
                raise UsageError(f"tokens.{token.name}: no policy named {token.policy!r} is served")

    @property
    def default_policy(self) -> str:
        return next(iter(self.policies))
