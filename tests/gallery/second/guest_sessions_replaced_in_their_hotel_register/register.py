"""Who is logged in to the hotel's wireless network. One register per process."""

import logging
import threading

log = logging.getLogger("hotspot.register")


class Register:
    def __init__(self):
        self._guard = threading.Lock()
        self._sessions = {}
        self.closed = 0

    def put(self, session):
        with self._guard:
            self._sessions[session.room] = session
            log.info("room %s: session %s", session.room, session.serial)

    def find(self, room):
        with self._guard:
            return self._sessions.get(room)

    def gone(self, session):
        """A session ends: count it and keep its traffic for the bill."""
        with self._guard:
            self.closed += 1
            log.info(
                "room %s: session %s ended, %d bytes", session.room, session.serial, session.octets
            )

    def __len__(self):
        with self._guard:
            return len(self._sessions)


register = Register()
