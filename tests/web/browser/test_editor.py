"""The editor in Chromium: every key, offsets of difficult texts, two tabs, a server that dies."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect
from tests.web.browser.conftest import People
from tests.web.conftest import PASSWORD

from incognote.web.store.tables import Annotation, Assignment, SignIn

TEXT = "Seen by Dr. Mary Holt on 3/4/2020. John Carver lives in Salem. John Carver is well.\n"


def add_note(workshop: People, text: str, name: str = "note") -> None:
    manager = workshop.bench.person("mia", "manager")
    row = json.dumps({"id": name, "patient_id": name, "text": text})
    workshop.bench.upload(manager, f"{name}.jsonl", row.encode())
    workshop.bench.work()


def open_note(workshop: People, name: str = "anna") -> Page:
    page = workshop.page(name, "annotator")
    page.click("text=Annotate")
    ready(page)
    return page


def ready(page: Page) -> None:
    """The note is drawn, and keys go to it."""
    page.wait_for_selector("#text:not([aria-busy])")
    page.focus("#text")


def stored(workshop: People, page: Page) -> list[tuple[int, int, str]]:
    """What the server holds, after the page has said that it is saved."""
    expect(page.locator("#saved")).to_have_attribute("data-state", "saved")
    number = int(page.url.rsplit("/", 1)[1])
    with workshop.bench.store.read() as db:
        return sorted(tuple(mark) for mark in db.get_one(Annotation, number).spans)


def clear(page: Page) -> None:
    """Away with the suggestions, key by key."""
    for _ in range(int(page.inner_text("#span-count"))):
        page.keyboard.press("Tab")
        page.keyboard.press("Delete")


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


@pytest.fixture
def note(workshop: People) -> Page:
    add_note(workshop, TEXT)
    page = open_note(workshop)
    clear(page)
    return page


def at(words: str, label: str, text: str = TEXT, nth: int = 0) -> tuple[int, int, str]:
    start = -1
    for _ in range(nth + 1):
        start = text.index(words, start + 1)
    return (start, start + len(words), label)


def select(page: Page, words: str, *, alt: bool = False) -> None:
    """With the mouse, from the first to the last letter."""
    box = page.evaluate(
        """(words) => {
          for (const node of nodes(document.querySelector('#text'))) {
            const at = node.data.indexOf(words);
            if (at < 0) continue;
            const range = document.createRange();
            range.setStart(node, at);
            range.setEnd(node, at + words.length);
            const boxes = [...range.getClientRects()];
            const last = boxes[boxes.length - 1];
            return [boxes[0].left + 1, boxes[0].top + boxes[0].height / 2, last.right - 1, last.top + last.height / 2];
          }
          function nodes(root) {
            const found = [];
            const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
            while (walk.nextNode()) found.push(walk.currentNode);
            return found;
          }
        }""",
        words,
    )
    if alt:
        page.keyboard.down("Alt")
    page.mouse.move(box[0], box[1])
    page.mouse.down()
    page.mouse.move(box[2], box[3], steps=4)
    page.mouse.up()
    if alt:
        page.keyboard.up("Alt")


def test_letters_label_and_delete_removes(workshop: People, note: Page):
    select(note, "Mary Holt")
    press(note, "d")
    assert stored(workshop, note) == [at("Mary Holt", "DOCTOR")]
    press(note, "p")  # another label for the same span
    assert stored(workshop, note) == [at("Mary Holt", "PATIENT")]
    press(note, "Delete")
    assert stored(workshop, note) == []


def test_a_selection_snaps_to_words_unless_alt_is_held(workshop: People, note: Page):
    select(note, "ary Hol")
    press(note, "d")
    assert stored(workshop, note) == [at("Mary Holt", "DOCTOR")]
    press(note, "Delete")
    select(note, "ary Hol", alt=True)
    press(note, "d")
    assert stored(workshop, note) == [at("ary Hol", "DOCTOR")]


def test_slash_filters_labels_and_full_stop_repeats(workshop: People, note: Page):
    select(note, "Salem")
    press(note, "/")
    note.keyboard.type("locat")
    press(note, "Enter")
    # A dialog says a moment later that it was closed; until then all is saved, and nothing new.
    expect(note.locator("#span-count")).to_have_text("1")
    assert stored(workshop, note) == [at("Salem", "LOCATION-OTHER")]
    select(note, "Mary Holt")
    press(note, ".")
    assert at("Mary Holt", "LOCATION-OTHER") in stored(workshop, note)


def test_arrows_move_and_extend(workshop: People, note: Page):
    press(note, "Home")  # Seen
    press(note, "ArrowRight", "ArrowRight", "ArrowRight", "Shift+ArrowRight", "d")
    assert stored(workshop, note) == [at("Mary Holt", "DOCTOR")]
    press(note, "Delete", "ArrowLeft", "Alt+Shift+ArrowRight", "t")  # "Dr" and its full stop
    assert stored(workshop, note) == [at("Dr.", "DATE")]


def test_up_and_down_move_by_line(workshop: People):
    text = "first alpha line\nsecond beta line\nthird gamma line\n"
    add_note(workshop, text)
    page = open_note(workshop)
    press(page, "Home", "ArrowDown", "c")
    assert stored(workshop, page) == [at("second", "CITY", text)]
    press(page, "ArrowDown", "ArrowUp", "Delete", "ArrowUp", "c")
    assert stored(workshop, page) == [at("first", "CITY", text)]


def test_brackets_move_the_edges(workshop: People, note: Page):
    select(note, "Mary")
    press(note, "d", "]")
    assert stored(workshop, note) == [at("Mary Holt", "DOCTOR")]
    press(note, "[")
    assert stored(workshop, note) == [at("Mary", "DOCTOR")]
    press(note, "{")
    assert stored(workshop, note) == [at("Dr. Mary", "DOCTOR")]
    press(note, "}")
    assert stored(workshop, note) == [at("Mary", "DOCTOR")]
    press(note, "Alt+]")
    assert stored(workshop, note) == [at("Mary ", "DOCTOR")]
    press(note, "Alt+[", "Alt+[")
    assert stored(workshop, note) == [at("Mar", "DOCTOR")]
    press(note, "Alt+Shift+}")
    assert stored(workshop, note) == [at("ar", "DOCTOR")]
    press(note, "Alt+Shift+{")
    assert stored(workshop, note) == [at("Mar", "DOCTOR")]


def test_star_marks_and_unmarks_the_same_text(workshop: People, note: Page):
    select(note, "John Carver")
    press(note, "p", "*")
    expect(note.locator("#chosen .notice")).to_contain_text("2 places")
    press(note, "Enter")
    both = [at("John Carver", "PATIENT"), at("John Carver", "PATIENT", nth=1)]
    assert stored(workshop, note) == both
    press(note, "*", "Delete")
    assert stored(workshop, note) == []
    press(note, "*", "Escape", "Control+z")
    assert stored(workshop, note) == both


def test_undo_and_redo(workshop: People, note: Page):
    select(note, "Salem")
    press(note, "c", "s")
    assert stored(workshop, note) == [at("Salem", "STREET")]
    press(note, "Control+z")
    assert stored(workshop, note) == [at("Salem", "CITY")]
    press(note, "Control+z")
    assert stored(workshop, note) == []
    press(note, "Control+Shift+Z", "Control+Shift+Z")
    assert stored(workshop, note) == [at("Salem", "STREET")]


def test_tab_goes_from_span_to_span(workshop: People, note: Page):
    for words in ("Mary Holt", "Salem"):
        select(note, words)
        press(note, "c")
    press(note, "Tab")
    expect(note.locator("mark.chosen")).to_have_text("Mary Holt")
    press(note, "Tab")
    expect(note.locator("mark.chosen")).to_have_text("Salem")
    press(note, "Shift+Tab")
    expect(note.locator("mark.chosen")).to_have_text("Mary Holt")


def test_alt_goes_to_doubtful_spans_only(workshop: People):
    add_note(workshop, TEXT)
    page = open_note(workshop)
    doubtful = page.locator("mark.doubtful").all_inner_texts()
    press(page, "Alt+ArrowDown")
    if doubtful:
        expect(page.locator("mark.chosen")).to_have_text(doubtful[0])
    else:
        expect(page.locator("#live")).to_have_text("No doubtful spans.")


def test_space_shows_the_next_screenful(workshop: People):
    add_note(workshop, "".join(f"line {i}\n" for i in range(400)))
    page = open_note(workshop)
    press(page, " ")
    assert page.evaluate("document.querySelector('#text').scrollTop") > 300


@pytest.mark.parametrize("lines", [21, 24, 30, 60])
def test_the_place_that_a_link_names_is_in_sight(workshop: People, lines: int):
    """Also where the block it stands in was never on screen."""
    text = "A line of words that say nothing.\n" * lines + TEXT
    add_note(workshop, text)
    page = open_note(workshop)
    start, end, _ = at("Mary Holt", "", text)
    page.goto(f"{page.url}#{start}-{end}")
    page.reload()
    ready(page)
    expect(page.locator("#chosen .quote")).to_have_text("Mary Holt")
    page.wait_for_function(
        """() => {
          const frame = document.querySelector('#text').getBoundingClientRect();
          const box = document.querySelector('mark.chosen').getBoundingClientRect();
          return box.top > frame.top && box.bottom < frame.bottom;
        }"""
    )


def test_done_asks_when_the_end_was_never_seen(workshop: People):
    add_note(workshop, "".join(f"line {i}\n" for i in range(400)))
    page = open_note(workshop)
    press(page, "Enter")
    expect(page.locator("#ask p")).to_contain_text("never on screen")
    page.click("#ask button[value=no]")
    for _ in range(40):
        press(page, " ")
    number = int(page.url.rsplit("/", 1)[1])
    press(page, "Enter")
    page.wait_for_url("**/projects/*")
    with workshop.bench.store.read() as db:
        assert db.get_one(Assignment, number).state == "done"


def test_escape_leaves_the_text(workshop: People, note: Page):
    press(note, "Escape")
    assert note.evaluate("document.activeElement.id") == "done"


def test_find(workshop: People, note: Page):
    press(note, "Control+f")
    note.keyboard.type("carver")
    expect(note.locator("#find output")).to_have_text("2 found")
    press(note, "Enter", "Enter")
    expect(note.locator("#find output")).to_have_text("2 of 2")
    press(note, "Escape", "Escape")


def test_help_lists_the_keys(workshop: People, note: Page):
    press(note, "?")
    expect(note.locator("#help")).to_be_visible()
    assert note.locator("#help dt").count() >= 18


def test_a_remark(workshop: People, note: Page):
    select(note, "Salem")
    press(note, "Control+m")
    note.keyboard.type("Is this a town?")
    note.click("#remark button[value=yes]")
    expect(note.locator("#remark-count")).to_have_text("1 of 1 open")
    manager = workshop.page("mia")
    manager.goto(f"/projects/{workshop.bench.project}")
    manager.click(".card:has-text('Open questions') a")
    expect(manager.locator("#remarks")).to_contain_text("Is this a town?")
    manager.get_by_label("Answer").fill("Yes: in Oregon.")
    manager.get_by_role("button", name="Answer").click()
    expect(manager.locator("#remark-count")).to_have_text("1")
    note.reload()
    note.click("#remarks-box summary")
    expect(note.locator("#remarks")).to_contain_text("Yes: in Oregon.")
    note.get_by_role("button", name="Show the place").click()
    expect(note.locator("#chosen .quote")).to_have_text("Salem")
    manager.goto(f"/projects/{workshop.bench.project}")
    expect(manager.locator("body")).not_to_contain_text("Open questions")


def test_a_finished_note_is_opened_again(workshop: People, note: Page):
    url = note.url
    press(note, "Enter")
    note.wait_for_url("**/projects/*")
    note.goto(url)
    ready(note)
    expect(note.locator("#chosen .notice")).to_contain_text("done")
    select(note, "Salem")
    press(note, "c")
    expect(note.locator("#live")).to_have_text("This note cannot be changed now.")
    note.get_by_role("button", name="Open again").click()
    expect(note.locator("[data-do=reopen]")).to_be_hidden()
    ready(note)
    select(note, "Salem")
    press(note, "c")
    assert stored(workshop, note) == [at("Salem", "CITY")]


def test_a_manager_takes_a_note_back(workshop: People):
    add_note(workshop, TEXT)
    number = workshop.bench.person("anna", "annotator").api(
        "POST", f"projects/{workshop.bench.project}/next"
    )["id"]
    manager = workshop.page("mia")
    manager.goto(f"/projects/{workshop.bench.project}/notes")
    manager.click("tbody a")
    manager.once("dialog", lambda dialog: dialog.accept())
    manager.get_by_role("button", name="Take back").click()
    expect(manager.get_by_role("button", name="Take back")).to_be_hidden()
    with workshop.bench.store.read() as db:
        assert db.get_one(Assignment, number).state == "expired"


def test_letters_can_be_switched_off(workshop: People):
    add_note(workshop, TEXT)
    page = open_note(workshop)
    url = page.url
    page.goto("/password")
    page.get_by_label("Letters label").uncheck()
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".answer")).to_have_text("Saved.")
    page.goto(url)
    ready(page)
    clear(page)
    select(page, "Salem")
    press(page, "c")
    assert page.locator("mark").count() == 0


def test_letters_can_be_changed(workshop: People):
    add_note(workshop, TEXT)
    page = open_note(workshop)
    url = page.url
    page.goto("/password")
    page.get_by_label("CITY").fill("d")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".answer")).to_have_text("each label needs a letter of its own")
    page.get_by_label("DOCTOR").fill("")
    page.get_by_label("CITY").fill("X")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".answer")).to_have_text("Saved.")
    page.goto(url)
    ready(page)
    clear(page)
    select(page, "Salem")
    press(page, "d")
    press(page, "x")
    assert stored(workshop, page) == [at("Salem", "CITY")]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("𝒜lpha 😀😀 Mary 👩‍⚕️ Holt ends.", "Mary"),
        ("Zoë Müller and Zoe\u0308 Mu\u0308ller wrote.", "Mu\u0308ller"),
        ("المريض محمد حسن في القاهرة today.", "محمد حسن"),
        ("line one\r\nMary Holt\r\nline three\r\n", "Mary Holt"),
        ("tab\there\x0bMary\u2028Holt\u00a0x", "Mary"),
        ("a <b>Mary</b> &amp; <script>alert(1)</script> Holt", "Mary"),
    ],
    ids=["astral", "combining", "right-to-left", "crlf", "spaces", "markup"],
)
def test_offsets_are_those_of_python(workshop: People, text: str, words: str):
    add_note(workshop, text)
    page = open_note(workshop)
    clear(page)
    assert page.evaluate("document.querySelector('#text').textContent") == text
    select(page, words)
    press(page, "p")
    assert stored(workshop, page) == [at(words, "PATIENT", text)]


def test_two_tabs_show_both_versions(workshop: People, note: Page):
    other = note.context.new_page()
    workshop.watch(other)
    other.goto(note.url)
    ready(other)
    select(note, "Salem")
    press(note, "c")
    assert stored(workshop, note) == [at("Salem", "CITY")]
    select(other, "Mary Holt")
    press(other, "d")
    expect(other.locator("#conflict")).to_be_visible()
    expect(other.locator("#conflict-mine")).to_contain_text("Mary Holt")
    expect(other.locator("#conflict-theirs")).to_contain_text("Salem")
    other.click("#conflict button[value=mine]")
    expect(other.locator("#conflict")).to_be_hidden()
    assert stored(workshop, other) == [at("Mary Holt", "DOCTOR")]


def test_both_versions_can_be_kept(workshop: People, note: Page):
    other = note.context.new_page()
    workshop.watch(other)
    other.goto(note.url)
    ready(other)
    select(note, "Salem")
    press(note, "c")
    assert stored(workshop, note) == [at("Salem", "CITY")]
    select(other, "Mary Holt")
    press(other, "d")
    other.click("#conflict button[value=both]")
    expect(other.locator("#conflict")).to_be_hidden()
    assert stored(workshop, other) == [at("Mary Holt", "DOCTOR"), at("Salem", "CITY")]


def test_nothing_is_lost_when_the_session_ends(workshop: People, note: Page):
    """Whoever signs in again, in another tab, goes on where they were."""
    assert stored(workshop, note) == []
    with workshop.bench.store.write() as db:
        db.query(SignIn).filter_by(account_id=workshop.bench.ids["anna"]).delete()
    select(note, "Mary Holt")
    press(note, "d")
    expect(note.locator("#saved")).to_have_attribute("data-state", "signed-out")
    with note.context.expect_page() as opened:
        note.click("#saved a")
    other = opened.value
    other.fill("input[name=name]", workshop.bench.account("anna"))
    other.fill("input[name=password]", PASSWORD)
    other.click("button[type=submit]")
    other.wait_for_url(f"{workshop.server.url}/")
    assert stored(workshop, note) == [at("Mary Holt", "DOCTOR")]
    press(note, "p")
    assert stored(workshop, note) == [at("Mary Holt", "PATIENT")]


def test_the_sign_in_leads_back(workshop: People, note: Page):
    with workshop.bench.store.write() as db:
        db.query(SignIn).filter_by(account_id=workshop.bench.ids["anna"]).delete()
    url = note.url
    note.reload()
    note.fill("input[name=name]", workshop.bench.account("anna"))
    note.fill("input[name=password]", PASSWORD)
    note.click("button[type=submit]")
    note.wait_for_url(url)
    ready(note)


def test_nothing_confirmed_is_lost_when_the_server_dies(workshop: People, note: Page):
    select(note, "Salem")
    press(note, "c")
    before = stored(workshop, note)
    workshop.server.kill()
    select(note, "Mary Holt")
    press(note, "d")
    expect(note.locator("#saved")).to_have_attribute("data-state", "offline")
    select(note, "John Carver")
    press(note, "p")
    workshop.server.start()
    expect(note.locator("#saved")).to_have_attribute("data-state", "saved")
    wanted = [*before, at("Mary Holt", "DOCTOR"), at("John Carver", "PATIENT")]
    assert stored(workshop, note) == sorted(wanted)


def test_every_action_has_a_button(workshop: People, note: Page):
    select(note, "Mary")
    note.click(".label:has-text('DOCTOR')")
    assert stored(workshop, note) == [at("Mary", "DOCTOR")]
    note.click("[data-do=later]")  # there is no room: it has one word
    note.click("[data-do=earlier]")
    assert stored(workshop, note) == [at("Dr. Mary", "DOCTOR")]
    note.click("[data-do=later]")
    note.click("[data-do=longer]")
    assert stored(workshop, note) == [at("Mary Holt", "DOCTOR")]
    note.click("[data-do=shorter]")
    note.click("[data-do=undo]")
    assert stored(workshop, note) == [at("Mary Holt", "DOCTOR")]
    note.click("[data-do=remove]")
    assert stored(workshop, note) == []
    note.click("[data-do=done]")
    note.wait_for_url("**/projects/*")


def test_no_text_stays_in_the_browser(workshop: People, note: Page):
    kept = note.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
    assert kept == "[{},{}]"
    assert "Carver" not in workshop.server.log  # nor in what the server says
