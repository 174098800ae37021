"""Tariffs by zone; a zone is fetched once, whoever asks for it first."""

import threading


class TariffCache:
    def __init__(self, source):
        self.source = source
        self._tariffs = {}
        self._tariffs_lock = threading.Lock()

    def keep(self, zone, tariff):
        with self._tariffs_lock:
            self._tariffs[zone] = tariff

    def refresh(self, zone):
        with self._tariffs_lock:
            self._tariffs[zone] = self.source.fetch(zone)

    def tariff(self, zone):
        with self._tariffs_lock:
            if zone not in self._tariffs:
                self._tariffs[zone] = self.source.fetch(zone)
            return self._tariffs[zone]
