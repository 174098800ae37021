# SPDX-License-Identifier: Apache-2.0
"""Starts the services of an application in the order of what they need."""

import asyncio
import logging

log = logging.getLogger(__name__)


class Service:
    needs = ()

    def __init__(self, container):
        self.container = container
        self.name = type(self).__name__.lower()

    async def start(self):
        """Overridden by services that have something to set up."""


class Container:
    def __init__(self):
        self._services = {}
        self._starts = {}

    def register(self, kind):
        service = kind(self)
        self._services[service.name] = service
        return kind

    def started(self, name):
        """Return the task that ends when a service is up."""
        if name not in self._starts:
            self._starts[name] = asyncio.ensure_future(self._bring_up(self._services[name]))
        return self._starts[name]

    async def _bring_up(self, service):
        await asyncio.gather(*map(self.started, service.needs))
        await service.start()
        log.info("%s is up", service.name)
        return service

    async def start_all(self):
        return await asyncio.gather(*map(self.started, self._services))
