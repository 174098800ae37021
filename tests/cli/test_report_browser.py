# SPDX-License-Identifier: Apache-2.0
"""The report in a real headless Chromium: desktop and phone, light and dark, on paper."""

from __future__ import annotations

import shutil

import pytest
from support.browser import CONTRAST, OVERLAPS, open_browser
from support.demo_fleet import make
from support.fleet_simulator import simulate
from support.hostile import hostile_records
from support.http_server import serving

from gdb_epi.cli.main import main
from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.ingest import ingest

VIEWS = {
    "desktop": (1200, 900, "light"),
    "desktop, dark": (1200, 900, "dark"),
    "phone": (390, 844, "light"),
    "phone, dark": (390, 844, "dark"),
}
MIN_CONTRAST = 4.5  # WCAG 2.2, level AA
MIN_PNG = 40_000  # bytes; a blank page of this size has less than 10 kB


@pytest.fixture(scope="module")
def browser():
    """One Chromium for all tests."""
    with open_browser() as browser_page:
        yield browser_page


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The page of a planted fleet, as a file."""
    folder = tmp_path_factory.mktemp("page")
    fleet = simulate(7003, hosts=300, days=24, per_day=45, bad_host=1.4, race=2.0, split=2.5)
    make(str(folder / "f.sqlite3"), fleet)
    main(["fleet", "screen", "--db", str(folder / "f.sqlite3")])
    main(["report", "--db", str(folder / "f.sqlite3"), "-o", str(folder / "report.html")])
    return folder / "report.html"


# Each size and each scheme once; both sizes in both schemes with --heavy.
SHOWN = [
    pytest.param(name, marks=pytest.mark.heavy if name in ("desktop, dark", "phone") else ())
    for name in VIEWS
]


@pytest.fixture(scope="module", params=SHOWN, ids=str)
def view(request, browser, report):
    """The page in one view, with what it said on the console and asked of the network."""
    width, height, scheme = VIEWS[request.param]
    with browser.view(report.as_uri(), width, height, scheme) as opened:
        yield opened


def test_it_is_quiet_and_fits(view, tmp_path):
    assert view.console == [] and view.errors == []
    assert view.requests == [view.page.url], "nothing but the page itself is asked for"
    assert view.page.evaluate("document.documentElement.scrollWidth") <= view.width
    shot = view.page.screenshot(full_page=True, path=tmp_path / "page.png")
    assert shot.startswith(b"\x89PNG") and len(shot) > MIN_PNG


def test_plots_are_drawn_without_overlaps_and_have_tables(view):
    drawn = view.page.evaluate(OVERLAPS)
    assert len(drawn) > 20, "sparklines, curve, map, bits"
    assert sum(plot["texts"] for plot in drawn) > 60, "dates, hosts, bits"
    assert all(plot["width"] > 60 and plot["height"] > 15 for plot in drawn), "none is squeezed"
    assert [plot["overlaps"] for plot in drawn if plot["overlaps"]] == []
    without = view.page.evaluate(
        """[...document.querySelectorAll("main figure")]
           .filter(f => !f.closest("figure, .split").querySelector("table"))
           .filter(f => !f.closest(".split")?.querySelector("table"))
           .map(f => f.textContent.slice(0, 60))"""
    )
    assert without == []
    assert view.page.evaluate("document.querySelectorAll('main figure').length") >= 4


def test_every_text_can_be_read(view):
    assert view.page.evaluate("document.querySelectorAll('h1').length") == 1
    # Also what is folded away.
    view.page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
    worst = view.page.evaluate(CONTRAST)
    assert len(worst) > 200
    low = [(text, ratio) for text, ratio in worst if ratio < MIN_CONTRAST]
    assert low == []
    assert view.page.evaluate("document.documentElement.scrollWidth") <= view.width


def test_on_paper_and_on_a_narrow_window_no_column_of_a_finding_is_squeezed(browser, report):
    with browser.view(report.as_uri(), 760, 900, "light") as opened:
        cells = "document.querySelectorAll('.numbers td.test')"
        assert min(opened.page.evaluate(f"[...{cells}].map(e => e.clientWidth)")) > 200
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= opened.width


def test_dark_is_dark(browser, report):
    shades = {}
    for scheme in ("light", "dark"):
        with browser.view(report.as_uri(), 800, 600, scheme) as opened:
            color = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
            shades[scheme] = sum(opened.page.evaluate(color))
    assert shades["light"] > 700 and shades["dark"] < 120


def test_a_link_opens_the_section_that_it_names(browser, report):
    with browser.view(report.as_uri(), 1200, 900, "light") as opened:
        last = opened.page.evaluate("[...document.querySelectorAll('.body')].pop().id")
        assert not opened.page.locator(f"#{last}").is_visible(), "folded away, twice"
        opened.page.goto(f"{report.as_uri()}#{last}")
        opened.page.locator(f"#{last}").wait_for(state="visible")
        opened.page.goto(report.as_uri())
        opened.page.keyboard.press("Tab")
        assert opened.page.evaluate("document.activeElement.className") == "skip"
        box = opened.page.locator("a.skip").bounding_box()
        assert box["x"] >= 0 and box["y"] >= 0, "seen once it has the focus"


@pytest.mark.heavy
def test_it_prints(browser, report):
    with browser.view(report.as_uri(), 1200, 900, "dark") as opened:
        pdf = opened.page.pdf()
        assert pdf.startswith(b"%PDF") and len(pdf) > MIN_PNG
        opened.page.emulate_media(media="print")
        assert not opened.page.locator("nav").is_visible()
        color = "getComputedStyle(document.body).backgroundColor"
        assert opened.page.evaluate(color) == "rgb(255, 255, 255)", "no black paper"


@pytest.mark.heavy
def test_hostile_names_neither_run_nor_widen_the_page(browser, tmp_path):
    db = str(tmp_path / "f.sqlite3")
    with open_database(db, write=True) as engine:
        ingest(engine, (("t", hostile_record) for hostile_record in hostile_records()))
    main(["report", "--db", db, "-o", str(tmp_path / "report.html")])
    address = (tmp_path / "report.html").as_uri()
    with browser.view(address, *VIEWS["phone"]) as opened:
        opened.page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= opened.width
        assert opened.console == opened.errors == [] and opened.requests == [address]
        assert opened.page.evaluate("document.querySelectorAll('script, img').length") == 0
        assert opened.page.locator("h1").is_visible(), "no style of the data is in force"
        assert [p for p in opened.page.evaluate(OVERLAPS) if p["overlaps"]] == []


@pytest.mark.heavy
def test_served_pages_are_quiet_too(browser, report):
    with serving(report.parent / "f.sqlite3") as server:
        home = f"http://127.0.0.1:{server.port}/"
        with browser.view(home, *VIEWS["desktop"]) as opened:
            link = opened.page.locator("details[open] a[href^='/core/']").first
            link.click()
            opened.page.locator("h1", has_text="One core").wait_for()
            assert opened.console == opened.errors == []
            assert len(opened.requests) == 2, "the page and the core"
            opened.page.set_viewport_size({"width": 400, "height": 800})
            rows = opened.page.locator(".answer-lines .row").all_inner_texts()
            assert rows and not any("  " in text for text in rows), "no column of blanks"
            assert opened.page.evaluate("document.documentElement.scrollWidth") <= 400
            assert all(url.startswith(home) for url in opened.requests)


@pytest.mark.heavy
def test_a_form_of_the_server_takes_a_decision(browser, report, tmp_path):
    token = "0123456789abcdef-token"
    shutil.copy(report.parent / "f.sqlite3", tmp_path / "f.sqlite3")
    with serving(tmp_path / "f.sqlite3", env={"GDB_EPI_TOKEN": token}) as server:
        home = f"http://127.0.0.1:{server.port}/"
        with browser.view(f"{home}decisions?about=host&name=node-7", *VIEWS["phone"]) as opened:
            page = opened.page
            assert page.evaluate("document.documentElement.scrollWidth") <= opened.width
            page.locator("[name=state]").select_option("drained")
            page.locator("[name=note]").fill("DIMM 3 <ordered>")
            page.locator("[name=who]").fill("ann")
            page.locator("[name=token]").fill(f"{token}x")
            page.get_by_role("button").click()
            page.get_by_role("alert").wait_for()
            assert page.locator("[name=note]").input_value() == "DIMM 3 <ordered>"
            assert page.locator("[name=token]").input_value() == ""
            page.locator("[name=token]").fill(token)
            page.get_by_role("button").click()
            page.get_by_role("cell", name="drained", exact=True).wait_for()
            assert "DIMM 3 <ordered>" in page.inner_text("table") and "ann" in page.inner_text("li")
            assert [ratio for _, ratio in page.evaluate(CONTRAST) if ratio < MIN_CONTRAST] == []
            assert opened.errors == []
