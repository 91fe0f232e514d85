"""Sign-in with the organisation's provider: OpenID Connect, authorization code with PKCE.

The provider says who somebody is; whether they have an account here, the administrator says, who
binds an account to the provider's subject. Nobody registers themselves. What is asked of the
provider goes straight there, over HTTPS; its answers are believed only after their signature,
issuer, audience, times and nonce were checked.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from incognote.core.caches import BoundedDict
from incognote.core.errors import IncognoteError, MissingExtra, UsageError
from incognote.web.store.site import Oidc

# Signatures with a public key. "none" is none, and with HS256 the client's secret would sign.
ALGORITHMS = ("RS256", "PS256", "ES256")
PATIENCE = 600.0  # seconds a person has at the provider's page
_LEEWAY = 60
_TIMEOUT = 10.0
_REMEMBERED = 2_000
_NEEDED = ("issuer", "authorization_endpoint", "token_endpoint", "jwks_uri")


class SignInRefused(IncognoteError):  # noqa: N818 - reads as what happened
    """The provider's answer was not believed. The message says which check failed, no more."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A sign-in on its way: `binding` stays in the browser that began it."""

    url: str
    binding: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Pending:
    binding: str = field(repr=False)
    nonce: str = field(repr=False)
    verifier: str = field(repr=False)
    back: str
    until: float


class Provider:
    """One provider, asked for its addresses when somebody first signs in."""

    def __init__(self, settings: Oidc, clock: Callable[[], float] = time.time) -> None:
        try:
            import authlib  # noqa: F401
            import httpx  # noqa: F401
            import joserfc  # noqa: F401
        except ModuleNotFoundError:
            raise MissingExtra("sign-in with OpenID Connect", "web-oidc") from None
        _check_address(settings.issuer, "the issuer")
        self.settings = settings
        self._clock = clock
        self._lock = threading.Lock()
        self._known: dict[str, str] = {}
        self._keys: Any = None
        self._pending: BoundedDict[str, _Pending] = BoundedDict(f"{__name__}.pending", _REMEMBERED)

    def begin(self, back: str) -> Begun:
        """`back` is the address of ours to which the provider sends the browser."""
        state, nonce, verifier, binding = (secrets.token_urlsafe(32) for _ in range(4))
        with self._client(back) as client:
            url, _ = client.create_authorization_url(
                self._addresses()["authorization_endpoint"],
                state=state,
                nonce=nonce,
                code_verifier=verifier,
            )
        with self._lock:
            until = self._clock() + PATIENCE
            self._pending[state] = _Pending(binding, nonce, verifier, back, until)
        return Begun(url, binding)

    def finish(self, state: str, code: str, binding: str) -> str:
        """The subject that the provider confirms."""
        with self._lock:
            begun = self._pending.pop(state, None)  # each is good for one try
        if begun is None or begun.until < self._clock():
            raise SignInRefused("this sign-in was not begun here, or too long ago")
        if not hmac.compare_digest(begun.binding, binding):
            raise SignInRefused("this sign-in was begun in another browser")
        token = self._token(begun, code)
        claims = self._claims(token)
        self._check(claims, begun.nonce)
        return str(claims["sub"])

    def _token(self, begun: _Pending, code: str) -> str:
        endpoint = self._addresses()["token_endpoint"]
        try:
            with self._client(begun.back) as client:
                answer = client.fetch_token(endpoint, code=code, code_verifier=begun.verifier)
        except Exception:  # noqa: BLE001 - of whichever HTTP library: nobody is signed in
            raise SignInRefused("the provider did not confirm the sign-in") from None
        token = answer.get("id_token")
        if not isinstance(token, str):
            raise SignInRefused("the provider sent no identity")
        return token

    def _claims(self, token: str) -> dict[str, Any]:
        """What a token says, if a key of the provider signed it."""
        from joserfc import jwt
        from joserfc.errors import JoseError

        for again in (False, True):  # keys change: an unknown one is asked for once more
            try:
                decoded = jwt.decode(token, self._jwks(again), algorithms=list(ALGORITHMS))
                return dict(decoded.claims)
            except (JoseError, ValueError, TypeError):
                continue
        raise SignInRefused("the identity is not signed by the provider")

    def _check(self, claims: dict[str, Any], nonce: str) -> None:
        now, client = self._clock(), self.settings.client_id
        audience = claims.get("aud")
        audiences = audience if isinstance(audience, list) else [audience]
        checks = {
            "another provider made it": claims.get("iss") == self.settings.issuer,
            "it is for another client": client in audiences,
            "another client asked for it": claims.get("azp", client) == client
            and (len(audiences) == 1 or "azp" in claims),
            "it has expired": _is_time(claims.get("exp")) and claims["exp"] > now - _LEEWAY,
            "it is from the future": _is_time(claims.get("iat"))
            and max(claims["iat"], _later(claims.get("nbf"))) < now + _LEEWAY,
            "it is the answer to another question": isinstance(claims.get("nonce"), str)
            and hmac.compare_digest(claims["nonce"], nonce),
            "it names nobody": isinstance(claims.get("sub"), str) and 0 < len(claims["sub"]) <= 255,
        }
        for reason, good in checks.items():
            if not good:
                raise SignInRefused(f"the identity was refused: {reason}")

    def _addresses(self) -> dict[str, str]:
        if self._known:
            return self._known
        issuer = self.settings.issuer
        found = self._get(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
        if not all(isinstance(found.get(name), str) for name in _NEEDED):
            raise SignInRefused("the provider does not describe itself")
        if found["issuer"] != issuer:
            raise SignInRefused("the provider says that it is another one")
        for name in _NEEDED[1:]:
            _check_address(found[name], f"the provider's {name}")
        self._known = {name: found[name] for name in _NEEDED}
        return self._known

    def _jwks(self, again: bool) -> Any:
        from joserfc.errors import JoseError
        from joserfc.jwk import KeySet

        if self._keys is None or again:
            try:
                self._keys = KeySet.import_key_set(self._get(self._addresses()["jwks_uri"]))  # type: ignore[arg-type]
            except (JoseError, KeyError, ValueError, TypeError):
                raise SignInRefused("the provider's keys cannot be read") from None
        return self._keys

    def _get(self, url: str) -> dict[str, Any]:
        import httpx

        try:
            # No redirects and no proxy of the environment: it goes where the settings say.
            answer = httpx.get(url, timeout=_TIMEOUT, trust_env=False)
            answer.raise_for_status()
            found = answer.json()
        except (httpx.HTTPError, ValueError):
            raise SignInRefused("the provider cannot be reached") from None
        if not isinstance(found, dict):
            raise SignInRefused("the provider's answer is not one")
        return found

    def _client(self, back: str) -> Any:
        from authlib.integrations.httpx_client import OAuth2Client

        secret = self.settings.client_secret
        return OAuth2Client(
            self.settings.client_id,
            secret or None,
            token_endpoint_auth_method="client_secret_basic" if secret else "none",
            scope="openid",
            redirect_uri=back,
            code_challenge_method="S256",
            timeout=_TIMEOUT,
            trust_env=False,
        )


def _check_address(url: str, what: str) -> None:
    """Codes and identities travel encrypted, unless they stay on this machine."""
    parts = urlsplit(url)
    if parts.scheme == "https" and parts.hostname:
        return
    if parts.scheme == "http" and _is_here(parts.hostname or ""):
        return
    raise UsageError(f"[oidc] {what} is no https address")


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_time(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _later(value: object) -> float:
    return float(value) if _is_time(value) else 0.0  # type: ignore[arg-type]
