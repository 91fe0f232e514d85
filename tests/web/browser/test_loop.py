"""The whole loop in Chromium with all roles, every page looked at by axe-core; pictures for the guide.

With INCOGNOTE_PICTURES=folder the pictures are written there; `make pictures` does it.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect
from tests.web.browser.conftest import People, Server
from tools import demo_workbench

from incognote.web.store.tables import Decision

FOLDER = os.environ.get("INCOGNOTE_PICTURES")
SAMPLES = Path(__file__).parents[3] / "samples" / "notes"
NOTES = tuple(
    (SAMPLES / name).read_text("utf-8") for name in ("clinic-letter.txt", "discharge-summary.txt")
)


# A manager's pages of a project.
MANAGERS = (
    "",
    "/notes",
    "/agreement",
    "/learning",
    "/policy",
    "/files",
    "/audit",
    "/settings",
)
# Those that the guide shows.
PICTURES = ("adjudicate", "annotate-light", "files", "review")


def picture(page: Page, name: str) -> None:
    if FOLDER and name in PICTURES:
        page.screenshot(path=str(Path(FOLDER) / f"workbench-{name}.png"))


def accessible(page: Page, where: str) -> None:
    # axe-core is put into the page by the test; the page's own policy would refuse it.
    found = Axe().run(page)
    wrong = [
        f"{where}: {one['id']}: {node['html'][:120]}"
        for one in found.response["violations"]
        for node in one["nodes"]
    ]
    assert wrong == []


@pytest.fixture
def open_pages(workshop: People) -> dict[str, Page]:
    """A signed-in page for each person; a script of the tests may run in them."""
    roles = {
        "mia": ("manager", "auditor"),
        "anna": ("annotator",),
        "ben": ("annotator",),
        "ada": ("adjudicator",),
        "rob": ("reviewer",),
    }
    manager = workshop.bench.person("mia", *roles["mia"])
    manager.api("PATCH", f"projects/{workshop.bench.project}", {"annotators": 2, "batch": 5})
    rows = [
        json.dumps({"id": f"note {n}", "patient_id": f"p{n}", "text": text})
        for n, text in enumerate(NOTES)
    ]
    workshop.bench.upload(manager, "notes.jsonl", "\n".join(rows).encode())
    workshop.bench.work()
    return {name: workshop.page(name, *own, bypass_csp=True) for name, own in roles.items()}


def see_the_end(page: Page) -> None:
    """Reads on, screenful by screenful: done asks nothing then."""
    for _ in range(8):
        page.keyboard.press("Space")


def annotate(page: Page, *, remove_first: bool) -> None:
    """Works through the notes by keyboard alone."""
    page.get_by_role("button", name="Annotate").focus()
    page.keyboard.press("Enter")
    for _ in NOTES:
        page.wait_for_selector("#text:not([aria-busy])")
        url = page.url
        page.focus("#text")
        see_the_end(page)
        if remove_first:
            page.keyboard.press("Tab")
            page.keyboard.press("Delete")
            expect(page.locator("#saved")).to_have_attribute("data-state", "saved")
        page.keyboard.press("Enter")
        page.wait_for_url(lambda now, url=url: now != url)


def test_the_whole_loop(workshop: People, open_pages: dict[str, Page]):
    mia, anna, ben, ada, rob = (open_pages[name] for name in ("mia", "anna", "ben", "ada", "rob"))
    project = workshop.bench.project
    annotate(anna, remove_first=False)
    annotate(ben, remove_first=True)
    anna.wait_for_url("**/projects/*")

    ada.get_by_role("button", name="Adjudicate").click()
    for _ in NOTES:
        ada.wait_for_selector("#text:not([aria-busy])")
        url = ada.url
        expect(ada.locator("#dispute-count")).to_contain_text("open")
        picture(ada, "adjudicate")
        accessible(ada, "adjudicate")
        ada.focus("#text")
        ada.keyboard.press("Enter")  # too early: nothing that is open becomes gold
        expect(ada.locator("#chosen .notice")).to_contain_text("not decided yet")
        ada.get_by_label("Reason").fill("As the letter head says")
        ada.focus("#text")
        while "open" in ada.inner_text("#dispute-count"):
            ada.keyboard.press("1")
        see_the_end(ada)
        ada.keyboard.press("Enter")
        ada.wait_for_url(lambda now, url=url: now != url)

    with workshop.bench.store.read() as db:
        settled = {(row.choice, row.reason) for row in db.query(Decision)}
    assert settled == {("a", "As the letter head says")}

    base = f"/projects/{project}"
    for name in MANAGERS:
        mia.goto(f"{base}{name}")
        accessible(mia, name or "overview")
        picture(mia, name.strip("/") or "overview")
    expect(mia.locator("body")).to_contain_text("Settings")
    mia.goto(f"{base}/agreement")
    mia.locator("#disputes tbody a").first.click()
    expect(mia.locator("#dispute-count")).to_have_text("1")
    accessible(mia, "reader")

    mia.goto(f"{base}/releases")
    mia.fill("input[name=name]", "First release")
    mia.select_option("select[name=wanted]", "0.1")
    mia.get_by_role("button", name="Draft").click()
    expect(mia.locator("table").first).to_contain_text("First release")
    workshop.bench.work()
    mia.goto(f"{base}/releases")
    accessible(mia, "releases")

    rob.goto(f"{base}/releases")
    rob.get_by_role("button", name="Review").click()
    for _ in NOTES:
        rob.wait_for_selector("#output mark")
        url = rob.url
        output = rob.inner_text("#output")
        named = rob.locator("#original mark[data-label=PATIENT]").all_inner_texts()
        assert named
        assert not any(name in output for name in named)
        picture(rob, "review")
        # Without a mouse: the first word and the one after it could be reported.
        rob.focus("#original")
        expect(rob.locator("#leak")).to_be_disabled()
        rob.keyboard.press("ArrowRight")
        rob.keyboard.press("Shift+ArrowRight")
        expect(rob.locator("#chosen")).to_have_text(re.compile(r"^\w+\W+\w+$"))
        expect(rob.locator("#leak")).to_be_enabled()
        accessible(rob, "review")
        rob.click("#clean")
        rob.wait_for_url(lambda now, url=url: now != url)
    rob.on("dialog", lambda dialog: dialog.accept())
    rob.get_by_role("button", name="Approve").click()
    expect(rob.locator(".state-approved")).to_be_visible()
    picture(rob, "release")

    mia.goto(f"{base}/releases")
    mia.get_by_role("button", name="Export").click()
    expect(mia.locator("[data-jobs]")).to_contain_text("export")
    workshop.bench.work()
    mia.goto(f"{base}/releases")
    with mia.expect_download() as download:
        mia.click("text=release-")
    assert download.value.suggested_filename.startswith("release-")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_accessible(workshop: People, scheme: str):
    """Sign-in, home, editor and password, in both colour schemes."""
    manager = workshop.bench.person("mia", "manager")
    workshop.bench.upload(manager, "n.jsonl", json.dumps({"id": "n", "text": NOTES[0]}).encode())
    workshop.bench.work()
    page = workshop.page("anna", "annotator", color_scheme=scheme, bypass_csp=True)
    accessible(page, "home")
    page.goto("/password")
    accessible(page, "password")
    page.goto("/")
    page.click("text=Annotate")
    page.wait_for_selector("#text mark")
    page.focus("#text")
    page.keyboard.press("Tab")
    page.click("#people-box summary")
    expect(page.locator("#people li").first).to_be_visible()
    accessible(page, "editor")
    picture(page, f"annotate-{scheme}")
    page.focus("#text")
    page.keyboard.press("?")
    accessible(page, "keys")
    page.keyboard.press("Escape")
    admin = workshop.page("root", admin=True, color_scheme=scheme, bypass_csp=True)
    admin.goto("/accounts")
    accessible(admin, "accounts")


@pytest.mark.skipif(not FOLDER, reason="takes pictures of the demonstration: `make pictures`")
def test_pictures_of_a_project_that_has_begun(browser: Browser, tmp_path: Path):
    """Pages of figures are dull before there are some; no note is on them."""
    server = Server(demo_workbench.build(tmp_path / "demo").folder)
    server.start()
    try:
        page = browser.new_page(base_url=server.url, viewport={"width": 1360, "height": 860})
        page.goto("/sign-in")
        page.fill("input[name=name]", "mia")
        page.fill("input[name=password]", demo_workbench.PASSWORD)
        page.click("button[type=submit]")
        page.wait_for_url(f"{server.url}/")
        for name, path in (("overview", ""), ("agreement", "/agreement")):
            page.goto(f"/projects/1{path}")
            page.screenshot(path=str(Path(FOLDER or "") / f"workbench-{name}.png"))
    finally:
        server.stop()


def test_pages_fit_a_phone(workshop: People):
    page = workshop.page("mia", "manager", "auditor")
    for width in (390, 1360):
        page.set_viewport_size({"width": width, "height": 800})
        for name in (*MANAGERS, "/releases"):
            page.goto(f"/projects/{workshop.bench.project}{name}")
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, f"{name} is {wide} wide on {width}"
            # The tabs are one row, and the open one is in sight.
            box = page.locator("nav [aria-current]").bounding_box()
            assert box is not None
            assert 0 <= box["x"] <= width - box["width"]
        assert page.locator("header.bar").bounding_box()["height"] <= 110
