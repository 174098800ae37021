# SPDX-License-Identifier: Apache-2.0
"""Live charts subscribe to recorders of samples; the hub knows the recorders only weakly."""

import weakref

import recorders


class Hub:
    def __init__(self):
        self.watched = []

    def add(self, recorder):
        self.watched.append(weakref.ref(recorder))

    def peaks(self):
        found = []
        for reference in self.watched:
            recorder = reference()
            if recorder is not None:
                found.append(recorder.peak())
        return found


def open_dashboard(hub, charts):
    dashboard = [recorders.Recorder(500000) for _ in range(charts)]
    for number, recorder in enumerate(dashboard):
        hub.add(recorder)
        recorder.put(number, 1.5 * number)
    return dashboard


def main():
    hub = Hub()
    dashboard = open_dashboard(hub, 8)
    print(hub.peaks())
    del dashboard
    print(hub.peaks())


main()
