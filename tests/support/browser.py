# SPDX-License-Identifier: Apache-2.0
"""The distribution's Chromium, driven by playwright over the DevTools protocol."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 120_000  # ms, in which it starts, loads a page or shows what is waited for

# Every visible plot: its size, and the pairs of its texts that lie upon each other.
OVERLAPS = """() => [...document.querySelectorAll("svg")].filter(s => s.checkVisibility())
.map(s => {
  const place = e => e.getBoundingClientRect();
  const box = place(s);
  const texts = [...s.querySelectorAll("text")].map(t => [t.textContent, place(t)]);
  const overlaps = [];
  for (let i = 0; i < texts.length; i++) {
    const [a, p] = texts[i];
    if (p.left < box.left - 1 || p.right > box.right + 1) overlaps.push([a, "out of the plot"]);
    for (let j = i + 1; j < texts.length; j++) {
      const [b, q] = texts[j];
      const x = Math.min(p.right, q.right) - Math.max(p.left, q.left);
      const y = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
      if (x > 0.5 && y > 3) overlaps.push([a, b]);
    }
  }
  return {width: box.width, height: box.height, texts: texts.length, overlaps};
})"""

# The contrast of every text that is shown, against the nearest background behind it (WCAG 2.2).
CONTRAST = """() => {
  const rgb = c => c.match(/[\\d.]+/g).map(Number);
  const light = c => { const [r, g, b] = rgb(c).map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = e => {
    for (; e; e = e.parentElement) {
      const c = getComputedStyle(e).backgroundColor;
      if ((rgb(c)[3] ?? 1) > 0) return c;
    }
    return "rgb(255,255,255)";
  };
  const found = new Map();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n; n = walk.nextNode();) {
    const e = n.parentElement;
    if (!n.textContent.trim() || !e.checkVisibility()) continue;
    const style = getComputedStyle(e);
    const color = e.closest("svg") ? style.fill : style.color;
    const [a, b] = [light(color), light(behind(e))].sort((x, y) => y - x);
    found.set(n.textContent.trim().slice(0, 40), Math.round(100 * (a + 0.05) / (b + 0.05)) / 100);
  }
  return [...found];
}"""


class View(NamedTuple):
    """A page that was opened, and what it did beside being shown."""

    page: Any
    width: int
    console: list[str]
    errors: list[str]
    requests: list[str]


class Browser:
    """Opens pages in contexts of their own."""

    def __init__(self, chromium: Any) -> None:
        self._chromium = chromium

    @contextmanager
    def view(self, url: str, width: int, height: int, scheme: str) -> Iterator[View]:
        """Open a page."""
        context = self._chromium.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme
        )
        context.set_default_timeout(PATIENCE)
        view = View(context.new_page(), width, [], [], [])
        view.page.on("console", lambda message: view.console.append(message.text))
        view.page.on("pageerror", lambda error: view.errors.append(str(error)))
        view.page.on("requestfailed", lambda request: view.errors.append(request.url))
        view.page.on("request", lambda request: view.requests.append(request.url))
        try:
            view.page.goto(url)
            yield view
        finally:
            context.close()


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Start Chromium; the test is skipped, saying what is missing, where there is none."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("no Chromium: apt-get install chromium")
    driver = pytest.importorskip(
        "playwright.sync_api", reason="no playwright: pip install -e .[dev]"
    )
    with driver.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=program, timeout=PATIENCE)
        try:
            yield Browser(chromium)
        finally:
            chromium.close()
