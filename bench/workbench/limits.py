"""The limits of the specification: opening notes, strokes, a project of 100,000 notes.

Beside the clock appears the processor time of each step, server and page together: it says what the
step costs where the machine has other work, too.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import Any

from bench.workbench.serving import PASSWORD, Address, Person, served, workbench
from incognote.core.types import Document as Note
from incognote.web.store.database.connection import Store, now
from incognote.web.store.documents import Incoming, add_documents
from incognote.web.store.tables import Document, Project, Run, Suggestion

CHROMIUM = "/usr/bin/chromium"
Row = dict[str, Any]
_LINE = "Seen by Dr. Mary Holt on 3/4/2020 for a cough that will not go away; rest and tea.  "


def run(small: bool) -> list[Row]:
    return [*_editor(), *_many(10_000 if small else 100_000)]


def _row(what: str, limit: float, seconds: list[float], processor: float) -> Row:
    """`processor`: seconds of it, of all the steps together."""
    median = statistics.median(seconds)
    return {
        "what": what,
        "limit (ms)": limit,
        "median (ms)": 1000 * median,
        "slowest (ms)": 1000 * max(seconds),
        "processor (ms)": 1000 * processor / len(seconds),
        "within": "yes" if 1000 * median <= limit else "NO",
    }


def _long_note(size: int, spans: int) -> tuple[str, list[list[Any]]]:
    """A note of this many bytes with this many spans, spread evenly."""
    text = "".join(f"{_LINE}\n" for _ in range(size // (len(_LINE) + 1)))
    step = len(text) // spans
    marks = []
    for number in range(spans):
        start = text.index("Mary", min(number * step, len(text) - 200))
        if not marks or start >= marks[-1][1]:
            marks.append([start, start + 9, "DOCTOR", 1.0, ["bench"], ""])
    return text, marks


def _give(store: Store, project: int, text: str, spans: list[list[Any]]) -> None:
    with store.write() as db:
        row = db.get_one(Project, project)
        name = f"note-{len(text)}"
        (key,) = add_documents(db, row, None, [Incoming(1, Note(name, text))])
        run_ = Run(project_id=project, policy_hash="", version="", created_at=now())
        db.add(run_)
        db.flush()
        db.add(Suggestion(document_id=key, run_id=run_.id, spans=spans))
        document = db.get_one(Document, key)
        document.state, document.claimable, document.rank = "suggested", True, len(text)


def _editor() -> list[Row]:
    if not Path(CHROMIUM).exists():
        print("limits of the editor: skipped, no Chromium")
        return []
    from playwright.sync_api import sync_playwright

    rows = []
    with workbench(2) as (store, project):
        for size, spans in ((50_000, 500), (500_000, 5_000)):
            _give(store, project, *_long_note(size, spans))
        with served(store) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=CHROMIUM,
                args=["--no-sandbox", "--disable-background-networking"],
            )
            page = browser.new_page(
                base_url=address,
                viewport={"width": 1360, "height": 860},
                bypass_csp=True,  # what waits for the page evaluates strings in it
            )
            page.goto("/sign-in")
            page.fill("input[name=name]", "p0")
            page.fill("input[name=password]", PASSWORD)
            page.click("button[type=submit]")
            page.wait_for_url(f"{address}/")
            page.click("text=Annotate")
            page.wait_for_selector("#text:not([aria-busy])")
            small = page.url
            meter = _Meter(page, address)
            rows.append(_row("open, 50 kB and 500 spans", 200, *_opened(page, small, meter)))
            drawn, saved, spent = _strokes(page, meter)
            rows.append(_row("label stroke, drawn", 50, drawn, spent))
            rows.append(_row("label stroke, saved", 150, saved, spent))
            page.click("[data-do=done]")
            page.click("#ask button[value=yes]")
            page.wait_for_url(lambda url: url != small)
            page.wait_for_selector("#text:not([aria-busy])")
            large = _opened(page, page.url, meter)
            rows.append(_row("open, 500 kB and 5,000 spans", 500, *large))
            browser.close()
    return rows


class _Meter:
    """Processor time of the server and of the process that draws the page."""

    def __init__(self, page: Any, address: Address) -> None:
        self._session = page.context.new_cdp_session(page)
        self._session.send("Performance.enable")
        self._address = address

    def seconds(self) -> float:
        metrics = self._session.send("Performance.getMetrics")["metrics"]
        page = next(one["value"] for one in metrics if one["name"] == "ProcessTime")
        return float(page) + self._address.processor_seconds()


def _opened(page: Any, url: str, meter: _Meter) -> tuple[list[float], float]:
    """From the beginning of the navigation until the note is painted."""
    found = []
    begun = 0.0
    for number in range(7):
        if number == 1:  # the first one fills the caches
            begun = meter.seconds()
        page.goto(url)
        page.wait_for_selector("#text:not([aria-busy])")
        page.wait_for_function("performance.getEntriesByName('note-painted').length")
        milliseconds = page.evaluate(
            "() => performance.getEntriesByName('note-painted')[0].startTime"
        )
        found.append(milliseconds / 1000)
    return found[1:], meter.seconds() - begun


def _strokes(page: Any, meter: _Meter) -> tuple[list[float], list[float], float]:
    """From the key to the frame that shows it, and to the server's answer; undoing it costs as much
    again, so of the processor time a half counts."""
    page.focus("#text")
    drawn, saved = [], []
    begun = meter.seconds()
    for number in range(20):
        page.keyboard.press("Tab")
        page.evaluate(
            """() => {
              const state = document.querySelector('#saved');
              window.times = {};
              addEventListener('keydown', () => {
                window.times.key = performance.now();
                requestAnimationFrame(() => { const channel = new MessageChannel();
                  channel.port1.onmessage = () => (window.times.drawn = performance.now());
                  channel.port2.postMessage(0); });
              }, { once: true, capture: true });
              state.dataset.state = 'idle';
              new MutationObserver((_, watcher) => {
                if (state.dataset.state !== 'saved') return;
                window.times.saved = performance.now();
                watcher.disconnect();
              }).observe(state, { attributes: true });
            }"""
        )
        page.keyboard.press("p" if number % 2 == 0 else "h")
        page.wait_for_function("() => window.times.saved && window.times.drawn")
        times = page.evaluate("() => window.times")
        drawn.append((times["drawn"] - times["key"]) / 1000)
        saved.append((times["saved"] - times["key"]) / 1000)
        page.keyboard.press("Control+z")
        page.wait_for_function("document.querySelector('#saved').dataset.state === 'saved'")
    return drawn, saved, (meter.seconds() - begun) / 2


def _many(count: int) -> list[Row]:
    """A project of very many notes."""
    rows = []
    with workbench(1) as (store, project):
        begun, spent = time.perf_counter(), time.process_time()
        with store.read() as db:
            row = db.get_one(Project, project)
        for at in range(0, count, 500):
            notes = [
                Incoming(n, Note(f"n{n}", f"{_LINE} {n}", {"patient_id": f"p{n // 4}"}))
                for n in range(at, min(count, at + 500))
            ]
            with store.write() as db:
                add_documents(db, row, None, notes)
        spent = time.process_time() - spent
        took = [time.perf_counter() - begun]
        rows.append(_row(f"import {count:,} notes (rows)", 60_000, took, spent))
        with store.write() as db:
            from sqlalchemy import update

            db.execute(update(Document).values(state="suggested", claimable=True, rank=Document.id))
        with served(store) as address:
            manager, person = Person(address, "manager"), Person(address, "p0")
            lists = [
                f"/projects/{project}/documents?after={at}" for at in range(0, count, count // 20)
            ]
            lists += [f"/projects/{project}/documents?state=suggested&after={count // 2}"] * 5
            begun = address.processor_seconds()
            took = [_timed(manager, "GET", path) for path in lists]
            rows.append(_row("list page", 100, took, address.processor_seconds() - begun))
            taken, spent = [], 0.0
            for _ in range(20):
                begun = address.processor_seconds()
                taken.append(_timed(person, "POST", f"/projects/{project}/next"))
                spent += address.processor_seconds() - begun
                number = person.ask("POST", f"/projects/{project}/next")["id"]
                person.ask("POST", f"/assignments/{number}/done", {"revision": 0})
            rows.append(_row("next note", 100, taken, spent))
            manager.close()
            person.close()
    return rows


def _timed(person: Person, method: str, path: str) -> float:
    begun = time.perf_counter()
    person.ask(method, path)
    return time.perf_counter() - begun
