# SPDX-License-Identifier: Apache-2.0
"""Pages of a parish register are read from an archive as its list of them arrives."""

import asyncio
import os
from pathlib import Path

import httpx

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"


async def serve_archive(reader, writer):
    """Serve /pages, a list that comes in pieces, and /pages/N."""
    try:
        while True:
            request = await reader.readuntil(b"\r\n\r\n")
            path = request.split(b" ", 2)[1].decode()
            if path == "/pages":
                writer.write(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
                for number in range(1, 25):
                    line = f"/pages/{number}\n".encode()
                    writer.write(b"%x\r\n%s\r\n" % (len(line), line))
                    await writer.drain()
                    await asyncio.sleep(0.02)
                writer.write(b"0\r\n\r\n")
            else:
                body = f"baptisms of page {path.rsplit('/', 1)[1]}".encode()
                writer.write(HEAD + b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


class Register:
    def __init__(self, base):
        self.client = httpx.AsyncClient(
            base_url=base,
            limits=httpx.Limits(max_connections=1),
            timeout=None,
            trust_env=False,
        )
        self.pages = {}

    async def read_page(self, path):
        answer = await self.client.get(path)
        self.pages[path] = answer.text

    async def read_all(self):
        async with self.client.stream("GET", "/pages") as listing:
            async for path in listing.aiter_lines():
                await self.read_page(path)


async def main():
    server = await asyncio.start_server(serve_archive, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    register = Register(f"http://127.0.0.1:{port}")
    Path("ready").write_text(f"{os.getpid()}\n")
    await register.read_all()
    print(len(register.pages), "pages")


if __name__ == "__main__":
    asyncio.run(main())
