# SPDX-License-Identifier: Apache-2.0
"""Read a page as a strict reader: every tag closed, no id twice, no text that became markup."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = frozenset(("meta", "link", "wbr", "br", "input"))
# What the page's own templates and plots use. A tag beyond these came out of the data.
TAGS = frozenset(
    "html head meta link title style body a header main footer nav section article figure"
    " figcaption details summary div span p ul ol li dl dt dd h1 h2 h3 h4 b small code wbr table"
    " caption thead tbody tr th td svg g path rect pre defs use text clippath".split()
)
FORM_TAGS = frozenset("form label input select option button".split())  # of a server's page
# Characters that reorder or hide text.
BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c\ufeff")


class Page(HTMLParser):
    """The tags, ids, links and texts of a page. Raises AssertionError where it is no good HTML."""

    def __init__(self, html: str, *, forms: bool = False) -> None:
        super().__init__(convert_charrefs=True)
        self.tags = TAGS | FORM_TAGS if forms else TAGS
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.words: list[str] = []
        self.headings: list[int] = []
        self.tables: list[list[list[str]]] = []
        self.feed(html)
        self.close()
        assert not self.open, f"never closed: {self.open}"
        assert len(set(self.ids)) == len(self.ids), "an id stands twice"
        missing = [link for link in self.links if link[0] == "#" and link[1:] not in self.ids]
        assert not missing, f"links to nowhere: {missing[:3]}"
        assert not BIDI & set(html), "a character that reorders text"

    @property
    def text(self) -> str:
        """What a reader sees, blanks made one."""
        return " ".join("".join(self.words).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take a tag."""
        assert tag in self.tags, f"<{tag}> is none of the page's tags"
        named = dict(attrs)
        assert not [name for name in named if name.startswith("on")], f"a handler in <{tag}>"
        if named.get("id"):
            self.ids.append(str(named["id"]))
        for name in ("href", "src"):
            if name in named:
                link = str(named[name])
                assert link.startswith(("#", "data:,", "/")), f"a link out of the page: {link[:60]}"
                self.links.append(link)
        if tag[0] == "h" and tag[1:].isdigit():
            self.headings.append(int(tag[1:]))
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take a tag of SVG that closes itself."""
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost tag."""
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()
        self.words.append(" ")

    def handle_data(self, data: str) -> None:
        """Take text."""
        if "style" in self.open:
            return
        self.words.append(data)
        if "td" in self.open[-4:] or "th" in self.open[-4:]:
            self.tables[-1][-1][-1] += data
