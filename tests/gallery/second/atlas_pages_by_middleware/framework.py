# SPDX-License-Identifier: Apache-2.0
"""A small framework in the manner of ASGI: applications, middleware, responses."""

import asyncio


class Response:
    def __init__(self, body, status=200):
        self.body = body
        self.status = status

    async def __call__(self, scope, send):
        await send({"type": "http.response.start", "status": self.status})
        await send({"type": "http.response.body", "body": self.body, "more_body": False})


class StreamingResponse(Response):
    async def __call__(self, scope, send):
        await send({"type": "http.response.start", "status": self.status})
        async for chunk in self.body:
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


class Router:
    def __init__(self):
        self.routes = {}

    def route(self, path):
        def register(endpoint):
            self.routes[path] = endpoint
            return endpoint

        return register

    async def __call__(self, scope, send):
        response = await self.routes[scope["path"]](scope)
        await response(scope, send)


class HTTPMiddleware:
    """Wraps an application; subclasses define dispatch(scope, call_next)."""

    def __init__(self, app):
        self.app = app
        self.tasks = set()

    async def __call__(self, scope, send):
        response = await self.dispatch(scope, self.call_next)
        await response(scope, send)
        while self.tasks:
            await asyncio.wait(self.tasks)

    async def call_next(self, scope):
        messages = asyncio.Queue(maxsize=1)

        async def inner():
            try:
                await self.app(scope, messages.put)
            finally:
                await messages.put(None)

        task = asyncio.ensure_future(inner())
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        start = await messages.get()

        async def body():
            while True:
                message = await messages.get()
                if message is None:
                    break
                yield message["body"]

        return StreamingResponse(body(), start["status"])
