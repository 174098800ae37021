# SPDX-License-Identifier: Apache-2.0
"""A server that streams events to a screen, and is told to end."""

import asyncio
import os
import signal
import socket
import threading
import time

import uvicorn


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    while True:
        await send({"type": "http.response.body", "body": b"tick", "more_body": True})
        await asyncio.Event().wait()


def screen(port):
    while True:
        try:
            connection = socket.create_connection(("127.0.0.1", port))
            break
        except OSError:
            time.sleep(0.1)
    connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    connection.recv(10)
    os.kill(os.getpid(), signal.SIGTERM)
    threading.Timer(1.5, tell).start()
    while connection.recv(100):
        pass


def main():
    probe = socket.create_server(("127.0.0.1", 0))
    port = probe.getsockname()[1]
    probe.close()
    threading.Thread(target=screen, args=(port,), daemon=True).start()
    uvicorn.run(app, port=port, lifespan="off", log_level="info")


main()
