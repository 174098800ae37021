# SPDX-License-Identifier: Apache-2.0
"""A workshop fetches the drawings of the day from its designers' file server."""

import ftplib
import json
import os
import socket


def serve_drawings(server):
    control, _ = server.accept()
    data = None
    control.sendall(b"220 drawings\r\n")
    for line in control.makefile("rb"):
        verb = line.split()[0].upper()
        if verb == b"PASV":
            data = socket.create_server(("127.0.0.1", 0))
            port = data.getsockname()[1]
            text = f"227 entering passive mode (127,0,0,1,{port // 256},{port % 256})\r\n"
            control.sendall(text.encode())
        elif verb == b"RETR":
            control.sendall(b"150 here it comes\r\n")
            with data.accept()[0] as connection:
                connection.sendall(b"LINE 0 0 40 40\n" * 500)
        else:
            control.sendall(b"230 ok\r\n" if verb in (b"USER", b"PASS") else b"200 ok\r\n")


def start_server():
    server = socket.create_server(("127.0.0.1", 0))
    if os.fork() == 0:
        serve_drawings(server)
        os._exit(0)
    port = server.getsockname()[1]
    server.close()
    return port


def fetch(ftp, name):
    with open(name, "wb") as file:
        ftp.retrbinary(f"RETR {name}", file.write)
    return os.path.getsize(name)


def main():
    ftp = ftplib.FTP()
    ftp.connect("127.0.0.1", start_server())
    ftp.login("workshop", "x")
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    print(fetch(ftp, "gearbox.dxf"))


main()
