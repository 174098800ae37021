# SPDX-License-Identifier: Apache-2.0
"""Widgets subscribe to a native message bus; the handle that leads back to a widget is not kept."""

import os

import cffi

ffi = cffi.FFI()
ffi.cdef(
    """
    void bus_subscribe(void (*call)(void *, int), void *owner);
    void bus_publish(int topic);
    """
)
bus = ffi.dlopen(os.path.join(os.path.dirname(os.path.abspath(__file__)), "bus.so"))


class Widget:
    def __init__(self, title):
        self.title = title
        self.seen = []


@ffi.callback("void(void *, int)")
def on_message(owner, topic):
    ffi.from_handle(owner).seen.append(topic)


def subscribe(widget):
    bus.bus_subscribe(on_message, ffi.new_handle(widget))


def build(count):
    widgets = [Widget(f"panel {n}") for n in range(count)]
    for widget in widgets:
        subscribe(widget)
    return widgets


def render(widgets):
    return [list(f"{widget.title}: {len(widget.seen)}") for widget in widgets for _ in range(40)]


def main():
    widgets = build(20)
    lines = render(widgets)
    bus.bus_publish(3)
    print(len(lines), sum(len(widget.seen) for widget in widgets))


main()
