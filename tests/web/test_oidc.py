"""Sign-in with a provider, against one that runs on loopback and can be made to lie."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

import pytest

pytest.importorskip("authlib", reason="the extra `web-oidc` is not installed")

from joserfc.jwk import RSAKey
from tests.web import provider as providers
from tests.web.conftest import PASSWORD, Bench, Client

from incognote.cli import main
from incognote.core.errors import UsageError
from incognote.web.http.app import create_app
from incognote.web.http.oidc import Provider
from incognote.web.store import accounts
from incognote.web.store.site import CONFIG, Oidc, Site
from incognote.web.store.tables import Account, Audit, SignIn


@dataclass
class World:
    bench: Bench
    provider: providers.Provider
    clock: dict[str, float]

    def browser(self) -> Client:
        return Client(self.bench.app)

    def go(self, client: Client) -> str:
        """To the provider; the address that it sends the browser back to."""
        answer = client.get("/oidc/start")
        assert answer.status_code == 303
        return self.provider.authorize(answer.headers["location"])

    def sign_in(self, client: Client):
        return client.get(self.go(client))


@pytest.fixture(scope="module")
def _running() -> Iterator[providers.Provider]:
    with providers.running() as found:
        yield found


@pytest.fixture
def world(quick_bench: Bench, _running: providers.Provider) -> World:
    clock = {"later": 0.0}
    settings = Oidc(_running.issuer, providers.CLIENT, providers.SECRET)
    oidc = Provider(settings, lambda: time.time() + clock["later"])
    quick_bench.app = create_app(quick_bench.store, oidc=oidc)
    quick_bench.person("mia", "manager")
    _running.change = lambda claims: None
    _running.sign = _running.signed
    _running.subject = providers.SUBJECT
    _running.published = [_running.key]
    _running.secret = providers.SECRET
    _running.described = {}
    with quick_bench.store.write() as db:
        account = db.get_one(Account, quick_bench.ids["mia"])
        accounts.bind(db, account, _running.subject)
    return World(quick_bench, _running, clock)


def test_a_bound_account_signs_in_and_works(world: World):
    client = world.browser()
    answer = world.sign_in(client)
    assert answer.status_code == 200
    assert "You are signed in" in answer.text
    who = client.get("/api/v1/session").json()
    assert who["name"] == "mia"
    client.token = who["token"]
    client.api("PATCH", f"projects/{world.bench.project}", {"batch": 7})
    cookies = answer.headers.get_list("set-cookie")
    session = next(c for c in cookies if c.startswith("__Host-incognote="))
    assert "SameSite=strict" in session
    assert "HttpOnly" in session
    with world.bench.store.read() as db:
        assert db.query(Audit).filter(Audit.action == "signed in").count() == 2


def test_its_password_is_gone(world: World):
    client = world.browser()
    answer = client.post("/api/v1/session", json={"name": "mia", "password": PASSWORD})
    assert answer.status_code == 401


def test_the_button_is_there_only_where_a_provider_is(world: World):
    assert "/oidc/start" in world.browser().get("/sign-in").text
    other = Client(create_app(world.bench.store))
    assert "/oidc/start" not in other.get("/sign-in").text
    assert other.get("/oidc/start").status_code == 404
    assert other.get("/oidc/callback?state=x&code=y").status_code == 404


def test_nobody_registers_themselves(world: World):
    world.provider.subject = "a <stranger>"
    client = world.browser()
    answer = world.sign_in(client)
    assert answer.status_code == 403
    assert "a &lt;stranger&gt;" in answer.text
    assert client.get("/api/v1/session").status_code == 401
    with world.bench.store.read() as db:
        assert db.query(Account).count() == 1


def test_a_locked_account_stays_out(world: World):
    with world.bench.store.write() as db:
        db.get_one(Account, world.bench.ids["mia"]).is_active = False
    client = world.browser()
    assert world.sign_in(client).status_code == 403
    assert client.get("/api/v1/session").status_code == 401


OTHER = RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"})


def _set(**values: object):
    def prepare(world: World) -> None:
        world.provider.change = lambda claims: claims.update(values)

    return prepare


def _drop(name: str):
    def prepare(world: World) -> None:
        world.provider.change = lambda claims: claims.pop(name)

    return prepare


def _signed_by(method: str):
    def prepare(world: World) -> None:
        world.provider.sign = getattr(world.provider, method)

    return prepare


def _another_key(world: World) -> None:
    world.provider.sign = lambda claims: world.provider.signed(claims, OTHER)


def _changed_later(world: World) -> None:
    def sign(claims: dict) -> str:
        head, _, mark = world.provider.signed(claims).split(".")
        _, body, _ = world.provider.signed(claims | {"sub": "somebody"}).split(".")
        return f"{head}.{body}.{mark}"

    world.provider.sign = sign


LIES = {
    "wrong nonce": _set(nonce="another"),
    "no nonce": _drop("nonce"),
    "wrong issuer": _set(iss="https://elsewhere.test"),
    "wrong audience": _set(aud="another client"),
    "no audience": _drop("aud"),
    "several audiences, no party": _set(aud=[providers.CLIENT, "another"]),
    "another party": _set(aud=[providers.CLIENT, "another"], azp="another"),
    "expired": _set(exp=1_500_000_000),
    "never expires": _drop("exp"),
    "not a time": _set(exp="later"),
    "from the future": _set(iat=4_000_000_000),
    "not yet": _set(nbf=4_000_000_000),
    "no subject": _drop("sub"),
    "empty subject": _set(sub=""),
    "a number as subject": _set(sub=248289761001),
    "unsigned": _signed_by("unsigned"),
    "the public key as secret": _signed_by("with_the_secret"),
    "another key": _another_key,
    "changed after signing": _changed_later,
    "no token": lambda world: setattr(world.provider, "sign", lambda claims: None),
    "nonsense": lambda world: setattr(world.provider, "sign", lambda claims: "a.b.c"),
    "the provider refuses": lambda world: setattr(world.provider, "secret", "another"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_refused(world: World, lie: str):
    LIES[lie](world)
    client = world.browser()
    answer = world.sign_in(client)
    assert answer.status_code == 403
    assert world.provider.subject not in answer.text
    assert client.get("/api/v1/session").status_code == 401
    with world.bench.store.read() as db:
        assert db.query(SignIn).count() == 0
        assert db.query(Audit).filter(Audit.action == "sign-in failed").count() == 1


def test_the_state_is_good_for_one_browser_once_and_not_for_long(world: World):
    client = world.browser()
    back = world.go(client)
    thief = world.browser()
    assert thief.get(back).status_code == 403  # the code was caught, the cookie was not
    assert client.get(back).status_code == 403  # and the state is used up
    back = world.go(client)
    assert client.get(back).status_code == 200
    assert world.browser().get(back).status_code == 403
    late = world.browser()
    back = world.go(late)
    world.clock["later"] = 601
    assert late.get(back).status_code == 403
    for query in ("", "?code=x", "?state=x", "?state=x&code=y", "?error=access_denied"):
        assert world.browser().get(f"/oidc/callback{query}").status_code == 403


def test_somebody_elses_code_is_worth_nothing(world: World):
    """A code for another sign-in does not fit the verifier of this one."""
    mine, other = world.browser(), world.browser()
    theirs = parse_qs(urlsplit(world.go(other)).query)["code"][0]
    state = parse_qs(urlsplit(world.go(mine)).query)["state"][0]
    assert mine.get(f"/oidc/callback?state={state}&code={theirs}").status_code == 403


def test_new_keys_are_asked_for_once(world: World):
    client = world.browser()
    assert world.sign_in(client).status_code == 200
    fresh = RSAKey.generate_key(2048, {"kid": "two", "use": "sig", "alg": "RS256"})
    world.provider.published = [world.provider.key, fresh]
    world.provider.sign = lambda claims: world.provider.signed(claims, fresh)
    before = world.provider.paths.count("/keys")
    assert world.sign_in(world.browser()).status_code == 200
    assert world.provider.paths.count("/keys") == before + 1


@pytest.mark.parametrize(
    "described",
    [
        {"issuer": "https://elsewhere.test"},
        {"token_endpoint": "http://elsewhere.test/token"},
        {"jwks_uri": "file:///etc/passwd"},
    ],
)
def test_a_provider_that_describes_another_is_refused(world: World, described: dict[str, str]):
    world.provider.described = described
    assert world.browser().get("/oidc/start").status_code == 400


def test_addresses_must_be_encrypted():
    with pytest.raises(UsageError, match="https"):
        Provider(Oidc("http://login.example.org", "incognote"))


def test_the_administrator_binds_accounts(world: World):
    admin = world.bench.person("root", admin=True)
    world.bench.person("max", "manager")
    key = world.bench.ids["max"]
    taken = {"subject": world.provider.subject}
    admin.api("PATCH", f"accounts/{key}", taken, 400)  # it is mia's
    admin.api("PATCH", f"accounts/{key}", {"subject": "another"})
    assert "another" in admin.get("/accounts").text
    admin.api("PATCH", f"accounts/{key}", {"reset_password": True}, 400)
    admin.api("PATCH", f"accounts/{world.bench.ids['root']}", {"subject": "me"}, 400)
    world.provider.subject = "another"
    client = world.browser()
    assert world.sign_in(client).status_code == 200
    assert client.get("/api/v1/session").json()["name"] == "max"
    admin.api("PATCH", f"accounts/{key}", {"subject": ""})
    assert client.get("/api/v1/session").status_code == 401
    assert world.sign_in(world.browser()).status_code == 403
    assert admin.api("PATCH", f"accounts/{key}", {"reset_password": True})["password"]


def test_the_settings_lie_beside_the_database(tmp_path):
    site = Site.create(tmp_path / "site")
    assert site.oidc is None
    path = site.folder / CONFIG
    plain = path.read_text()
    (site.folder / "oidc.secret").write_text("hidden\n")
    path.write_text(
        plain
        + '[oidc]\nissuer = "https://login.example.org"\nclient_id = "incognote"\n'
        + 'client_secret_file = "oidc.secret"\n'
    )
    found = Site.open(site.folder).oidc
    assert found is not None
    assert (found.issuer, found.client_secret) == ("https://login.example.org", "hidden")
    assert "hidden" not in repr(found)
    for wrong in ('issuer = "x"\n', 'issuer = "x"\nclient_id = "y"\nsecret = "z"\n'):
        path.write_text(f"{plain}[oidc]\n{wrong}")
        with pytest.raises(UsageError, match="oidc"):
            Site.open(site.folder)


def test_the_command_line_binds_accounts(world: World, capsys: pytest.CaptureFixture[str]):
    folder = str(world.bench.store.site.folder)
    world.provider.subject = "from the shell"
    assert main(["web", "user", folder, "mia", "--subject", "from the shell"]) == 0
    assert "bound" in capsys.readouterr().out
    assert world.sign_in(world.browser()).status_code == 200
    assert main(["web", "user", folder, "mia", "--subject", ""]) == 0
    assert world.sign_in(world.browser()).status_code == 403
