"""Firefox ESR: signing in, the editor, its keys and offsets. What is subtle is tried in Chromium."""

from __future__ import annotations

import json
from pathlib import Path

from tests.web.browser import firefox
from tests.web.browser.firefox import Firefox
from tests.web.conftest import PASSWORD, make_bench, missing

from incognote.web.store.tables import Annotation

TEXT = "Seen 🩺 by Dr. Mary Holt, \u202bمريم حداد\u202c, on 3/4/2020.\r\nJohn Carver is well.\n"
TAB, DELETE = "\ue004", "\ue017"


def saved(browser: Firefox) -> None:
    browser.wait("return document.querySelector('#saved').dataset.state === 'saved'")


def test_firefox(served):
    if not Path(firefox.PROGRAM).exists():
        missing("Firefox is not installed (apt-get install firefox-esr)")
    store, server = served
    bench = make_bench(store, "-firefox")
    bench.upload(
        bench.person("mia", "manager"), "n.jsonl", json.dumps({"id": "n", "text": TEXT}).encode()
    )
    bench.work()
    bench.person("anna", "annotator")

    with firefox.running() as browser:
        browser.open(f"{server.url}/sign-in")
        browser.type("input[name=name]", bench.account("anna"))
        browser.type("input[name=password]", PASSWORD)
        browser.click("button[type=submit]")
        browser.wait(f"return location.pathname === '/' && {bench.project}")
        browser.open(f"{server.url}/projects/{bench.project}")
        browser.click("button[data-api*='part=annotate']")
        browser.wait("return document.querySelector('#text:not([aria-busy]) mark') !== null")
        browser.script(
            "window.refused = []; addEventListener('securitypolicyviolation',"
            " (event) => refused.push(event.violatedDirective))"
        )
        number = int(browser.script("return location.pathname.split('/')[2]"))
        with store.read() as db:
            suggested = [tuple(mark) for mark in db.get_one(Annotation, number).spans]
        assert len(suggested) >= 2
        browser.type("#text", TAB + DELETE)
        saved(browser)
        # The second of them gets another label by its letter.
        browser.type("#text", TAB + "h")
        saved(browser)
        with store.read() as db:
            spans = sorted(tuple(mark) for mark in db.get_one(Annotation, number).spans)
        shown = browser.script(
            "return [...document.querySelectorAll('#spans .words')].map(w => w.textContent)"
        )
        refused = browser.script("return window.refused")
        browser.type("#text", "*")
        browser.wait("return CSS.highlights.get('same')?.size === 1")
    assert refused == []
    start, end, _ = suggested[1]
    assert (start, end, "HOSPITAL") in spans
    assert suggested[0] not in spans
    assert spans[1:] == suggested[2:]
    # What the page shows of each span is what Python reads at its offsets.
    assert shown == [" ".join(TEXT[start:end].split()) for start, end, _ in spans]
