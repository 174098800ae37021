"""The map store of an atlas: HTTP/1.1, so that clients may keep their connections."""

import http.server
import threading

SHEETS = {"/sheet/%d" % n: ("Blatt %d: Häuser, Wälder, Moore " % n) * 400 for n in range(1, 8)}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        text = SHEETS.get(self.path)
        if text is None:
            self.send_error(404)
            return
        body = text.encode("latin-1")
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; charset=latin-1")
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(body)

    def do_HEAD(self):
        self.send_response(204)
        self.end_headers()

    def log_message(self, form, *arguments):
        print("tiles:", form % arguments, flush=True)


def start():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, name="tileserver", daemon=True).start()
    return server.server_address[1]
