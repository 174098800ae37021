# SPDX-License-Identifier: Apache-2.0
"""A music library: playlists know their length, tracks know where they are played."""

import os
import threading


class Track:
    def __init__(self, title, seconds):
        self.title, self.seconds = title, seconds
        self.guard = threading.Lock()
        self.playlists = []

    def trim(self, seconds, started):
        """Shorten the track and tell every playlist that holds it."""
        with self.guard:
            started.wait()
            self.seconds -= seconds
            for playlist in self.playlists:
                playlist.recount()


class Playlist:
    def __init__(self, name):
        self.name, self.tracks, self.total = name, [], 0
        self.guard = threading.Lock()

    def add(self, track):
        with self.guard:
            self.tracks.append(track)
            with track.guard:
                track.playlists.append(self)
                self.total += track.seconds

    def recount(self):
        with self.guard:
            self.total = sum(track.seconds for track in self.tracks)

    def publish(self, started):
        """Build the page that listeners see."""
        with self.guard:
            started.wait()
            page = []
            for track in self.tracks:
                with track.guard:
                    page.append((track.title, track.seconds))
            return page


def main():
    evening = Playlist("evening")
    tracks = [Track("Harbour", 241), Track("Long way", 305), Track("Lanterns", 198)]
    for track in tracks:
        evening.add(track)
    started = threading.Barrier(3)
    editor = threading.Thread(target=tracks[1].trim, args=(5, started), name="editor")
    site = threading.Thread(target=evening.publish, args=(started,), name="site")
    editor.start()
    site.start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    started.wait()
    editor.join()
    site.join()
    print(evening.total)


main()
