# SPDX-License-Identifier: Apache-2.0
"""Send news over HTTP in generic, Slack's or PagerDuty's JSON, with retries; losses are reported.

An address may hold a secret (Slack's path, a password): it is shown without path, query and user.
"""

from __future__ import annotations

import base64
import json
import re
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from http.client import HTTPException
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.parse import unquote, urlsplit, urlunsplit

from gdb_epi import __version__
from gdb_epi.errors import EpiError, UsageError
from gdb_epi.fleet.decisions.news import AGAIN, DIGEST, FINDING, REGRESSION, NewsItem
from gdb_epi.util import counted, shortened_list

JSON, SLACK, PAGERDUTY = "json", "slack", "pagerduty"
SCHEMA = "gdb-epi/notice/1"
RETRY_PAUSES = (1.0, 4.0)  # seconds before the second and the third try
TIMEOUT = 10.0  # seconds of one try
MAX_EVENTS = 20  # of PagerDuty in one run: beyond it one event stands for the rest
MAX_SLACK_ITEMS = 20
MAX_SLACK_TEXT = 2_900  # characters of a block, which may have 3,000
MAX_SUMMARY = 1_000  # characters of an event's summary, which may have 1,024
MAX_REASON = 200
_SEVERITY = {FINDING: "warning", REGRESSION: "error", AGAIN: "error", DIGEST: "info"}


class DeliveryFailed(EpiError):
    """An address did not accept what was sent; it is sent again the next time."""

    hint = "it is sent again by the next screening with the same --notify"


class NewsRequest(NamedTuple):
    """One request: its body, and the news in it."""

    body: dict[str, Any]
    items: tuple[NewsItem, ...]


def check_address(address: str, shape: str, key: str | None) -> None:
    """Raise UsageError for an unusable address; its text never repeats the address."""
    try:
        parts = urlsplit(address)
        port_is_fine = parts.port is None or 0 < parts.port < 1 << 16
    except ValueError:
        parts, port_is_fine = urlsplit(""), False
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_fine:
        raise UsageError("--notify takes an address that begins with http:// or https://")
    if re.search(r"[\x00-\x20\x7f]", address):
        raise UsageError("--notify: the address has blanks or control characters in it")
    if shape == PAGERDUTY and not key:
        raise UsageError(
            "PagerDuty needs a routing key", hint="--notify-key-file FILE or GDB_EPI_NOTIFY_KEY"
        )


def address_without_secrets(address: str) -> str:
    """Return an address that may be shown: its host, and no more."""
    parts = urlsplit(address)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    more = "/..." if parts.path.strip("/") or parts.query else ""
    return f"{parts.scheme}://{host}{f':{parts.port}' if parts.port else ''}{more}"


def send_news(
    address: str,
    shape: str,
    items: Sequence[NewsItem],
    key: str | None,
    sent: Callable[[Sequence[NewsItem]], None],
) -> int:
    """Send news; `sent` is called with those that were accepted. Returns how many.

    Raises DeliveryFailed when a request failed in all of its tries; the others are still sent.
    """
    count, problems, lost = 0, [], 0
    for request in requests_for_news(shape, items, key):
        problem = _post_with_retries(address, request.body)
        if problem is None:
            sent(request.items)
            count += len(request.items)
        else:
            problems.append(problem)
            lost += len(request.items)
    if problems:
        where = address_without_secrets(address)
        what = f"{counted(lost, 'notice')} could not be delivered to {where}"
        raise DeliveryFailed(f"{what}: {problems[0]}")
    return count


def requests_for_news(
    shape: str, items: Sequence[NewsItem], key: str | None
) -> Iterator[NewsRequest]:
    """Yield the requests for the news, in the format of the receiver."""
    if not items:
        return
    if shape == PAGERDUTY:
        alone = items if len(items) <= MAX_EVENTS else items[: MAX_EVENTS - 1]
        for entry in alone:
            yield NewsRequest(_pagerduty_event(entry.title, entry, key), (entry,))
        rest = tuple(items[len(alone) :])
        if rest:
            title = f"and {counted(len(rest), 'more notice')} of gdb-epi"
            yield NewsRequest(_pagerduty_event(title, rest[0], key, rest), rest)
    elif shape == SLACK:
        # A message for Slack's incoming webhooks; `text` is what a notification shows.
        blocks = []
        for entry in items[:MAX_SLACK_ITEMS]:
            lines = [entry.title, *entry.lines]
            if entry.cores:
                lines.append(f"cores: {shortened_list(entry.cores, 3)}")
            section = {
                "type": "mrkdwn",
                "text": f"```{_escape_for_slack(lines)[:MAX_SLACK_TEXT]}```",
            }
            blocks.append({"type": "section", "text": section})
        if len(items) > MAX_SLACK_ITEMS:
            more = f"and {len(items) - MAX_SLACK_ITEMS} more: gdb-epi fleet findings"
            blocks.append({"type": "section", "text": {"type": "mrkdwn", "text": more}})
        yield NewsRequest(
            {"text": f"`{_escape_for_slack([_news_title(items)])}`", "blocks": blocks}, tuple(items)
        )
    else:
        news = [entry.as_json() for entry in items]
        body = {"schema": SCHEMA, "tool": f"gdb-epi {__version__}", "news": news}
        yield NewsRequest({**body, "title": _news_title(items)}, tuple(items))


def _news_title(news: Sequence[NewsItem]) -> str:
    if len(news) == 1:
        return news[0].title
    return f"gdb-epi: {counted(len(news), 'notice')}, the first: {news[0].title}"


def _pagerduty_event(
    title: str, item: NewsItem, key: str | None, rest: Sequence[NewsItem] = ()
) -> dict[str, Any]:
    """Return an event of PagerDuty's Events API v2; each subject is one incident."""
    details: dict[str, Any] = {"lines": list(item.lines), "cores": list(item.cores)}
    details |= {"crashes": item.crashes, "kind": item.kind}
    if rest:
        details = {"more": [news.title for news in rest]}
    return {
        "routing_key": key,
        "event_action": "trigger",
        "dedup_key": f"gdb-epi {item.subject}"[:255],
        "payload": {
            "summary": title[:MAX_SUMMARY],
            "source": item.host or "gdb-epi",
            "severity": _SEVERITY[item.kind],
            "component": item.kind,
            "custom_details": details,
        },
    }


def _escape_for_slack(lines: Sequence[str]) -> str:
    """Return lines for Slack's code marks: what a process calls itself neither mentions nor links.

    Within them a name is copied as it is, but for a backquote, which would end them.
    """
    text = "\n".join(lines).replace("`", "'")
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


class _RefuseRedirects(urllib.request.HTTPRedirectHandler):
    """Refuses redirects: what is sent goes only to the address it was meant for."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Follow no redirect."""


def _post_with_retries(address: str, body: dict[str, Any]) -> str | None:
    """Send one request, again after a pause; return why it was not taken, None when it was."""
    problem = ""
    for pause in (*RETRY_PAUSES, None):
        problem, again = _send_once(address, body)
        if not problem:
            return None
        if pause is None or not again:
            break
        time.sleep(pause)
    return problem


def _send_once(address: str, body: dict[str, Any]) -> tuple[str, bool]:
    """Return what went wrong ("" for nothing), and whether another try may help."""
    parts = urlsplit(address)
    headers = {"Content-Type": "application/json", "User-Agent": f"gdb-epi/{__version__}"}
    if parts.username is not None:
        user = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["Authorization"] = f"Basic {base64.b64encode(user.encode()).decode()}"
    place = parts.netloc.rpartition("@")[2]
    data = json.dumps(body).encode("ascii")
    try:
        plain = urlunsplit((parts.scheme, place, parts.path or "/", parts.query, ""))
        request = urllib.request.Request(plain, data, headers, method="POST")
        opener = urllib.request.build_opener(_RefuseRedirects)
        with opener.open(request, timeout=TIMEOUT) as answer:
            answer.read(1)
        return "", False
    except HTTPError as error:
        error.close()
        return f"HTTP {error.code}", error.code == 429 or error.code >= 500
    # A system's reason names no path; other errors' texts may, so only their type is given.
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", error)
        words = reason.strerror if isinstance(reason, OSError) and reason.strerror else None
        return (words or type(reason).__name__)[:MAX_REASON], not isinstance(error, ValueError)
