# SPDX-License-Identifier: Apache-2.0
"""A crawler of library catalogues: sessions keep cookies; heavy pages are read by a forked helper."""  # noqa: E501

import email.message
import os
import threading
import time
import urllib.request
from http.cookiejar import CookieJar, DefaultCookiePolicy


class Answer:
    """What a catalogue answered: enough of it for a cookie jar."""

    def __init__(self, *cookies):
        self.headers = email.message.Message()
        for cookie in cookies:
            self.headers["Set-Cookie"] = cookie

    def info(self):
        return self.headers


class PublicSuffixPolicy(DefaultCookiePolicy):
    """Asks a list of public suffixes, which is fetched on first use."""

    def __init__(self):
        super().__init__()
        self.asked = threading.Event()
        self.fetched = threading.Event()

    def set_ok(self, cookie, request):
        self.asked.set()
        self.fetched.wait()
        return super().set_ok(cookie, request)


class Session:
    def __init__(self, site):
        self.site = site
        self.policy = PublicSuffixPolicy()
        self.jar = CookieJar(self.policy)

    def request(self, path):
        request = urllib.request.Request(f"http://{self.site}{path}")
        self.jar.add_cookie_header(request)
        return request

    def keep(self, path, answer):
        self.jar.extract_cookies(answer, urllib.request.Request(f"http://{self.site}{path}"))


def read_heavy_page(session, number):
    """In the helper: a page that takes much memory to parse."""
    request = session.request(f"/shelf/{number}")
    print(os.getpid(), "reads", request.full_url, request.unredirected_hdrs, flush=True)


def main():
    session = Session("catalogue.example")
    keeper = threading.Thread(
        target=session.keep, args=("/", Answer("sid=4711; Path=/", "lang=en; Path=/")), daemon=True
    )
    keeper.start()
    session.policy.asked.wait()
    pid = os.fork()
    if pid == 0:
        read_heavy_page(session, 12)
        os._exit(0)
    session.policy.fetched.set()
    keeper.join()
    print("cookies of the parent:", len(session.jar), flush=True)
    time.sleep(0.3)
    with open("ready.new", "w") as file:
        file.write(f"{pid}\n")
    os.rename("ready.new", "ready")
    print(os.waitpid(pid, 0), flush=True)


main()
