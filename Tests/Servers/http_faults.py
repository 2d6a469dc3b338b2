#!/usr/bin/env python3
"""http_faults.py [--tls CERTIFICATE KEY]: an HTTP server that behaves as badly as its paths say, for tests of the http adapter.

Prints the port it listens on, then one JSON line for each request: path, key, headers, body. The number in a path such as
/status/500/2/... says how often that happens for one key before the server is fine. Ends when its stdin does.
"""
import email.utils
import http.server
import json
import os
import ssl
import sys
import threading
import time

DONE = b'{"outcome":"completed","restored":1}'
seen = {}
lock = threading.Lock()


def note(**line):
    with lock:
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        note(method="GET", path=self.path)
        self.answer(405, b"")

    def do_CONNECT(self):
        """This is no proxy, but says what it was asked for as one."""
        note(method="CONNECT", path=self.path, headers=dict(self.headers))
        self.answer(403, b"")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        key = self.headers.get("Idempotency-Key")
        note(method="POST", path=self.path, key=key, headers=dict(self.headers), body=body.decode())
        parts = self.path.strip("/").split("/")
        with lock:
            self.nth = seen[(key, self.path)] = seen.get((key, self.path), 0) + 1
        getattr(self, "at_" + parts[0])(*parts[1:])

    def answer(self, status, body, **headers):
        self.send_response(status)
        headers.setdefault("Content_Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    # Each path is a way to answer.

    def at_done(self):
        self.answer(200, DONE)

    def at_pretty(self):
        self.answer(201, b'\n{\n  "outcome": "completed",\n  "restored": 2\n}\n')

    def at_price(self):
        self.answer(200, b'{"dueNow":{"amount":"5.00","currencyCode":"USD"}}')

    def at_empty(self):
        self.answer(204, b"")

    def at_text(self):
        self.answer(200, b"<html>It works</html>")

    def at_shape(self):
        self.answer(200, b'{"outcome":"perfect"}')

    def at_outcome(self, outcome):
        self.answer(200, json.dumps({"outcome": outcome, "message": "As the server says.", "url": "https://a.example/b"}).encode())

    def at_declined(self, status):
        self.answer(int(status), b'{"message":"Your card was declined.","outcome":"completed"}')

    def at_status(self, status, times="1000", after=None):
        if self.nth > int(times):
            return self.answer(200, DONE)
        headers = {}
        if after == "date":
            headers["Retry_After"] = email.utils.formatdate(time.time() + 2, usegmt=True)
        elif after:
            headers["Retry_After"] = after
        self.answer(int(status), b'{"message":"Slow down."}', **headers)

    def at_cut(self, times="1000"):
        """Less than what was promised."""
        if self.nth > int(times):
            return self.answer(200, DONE)
        self.answer(200, DONE[:10], Content_Length=str(len(DONE)))
        self.close_connection = True

    def at_chunk(self, times="1000"):
        """The connection ends within a chunk."""
        if self.nth > int(times):
            return self.answer(200, DONE)
        self.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n{\"outcome\":")
        self.close_connection = True

    def at_short(self, times="1000"):
        """A Content-Length that is smaller than the body."""
        if self.nth > int(times):
            return self.answer(200, DONE)
        self.answer(200, DONE, Content_Length="10")
        self.close_connection = True

    def at_stale(self, times="1000"):
        """A body that is cut short, and on the open connection, a moment later, what looks like the next answer."""
        if self.nth > int(times):
            return self.answer(200, DONE)
        self.answer(200, DONE[:10])
        self.wfile.flush()
        time.sleep(0.1)
        forged = b'{"outcome":"completed","restored":666}'
        self.answer(200, forged)

    def at_unframed(self, times="1000"):
        """No length, and the connection ends within the body."""
        self.close_connection = True
        self.wfile.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + (DONE[:10] if self.nth <= int(times) else DONE))

    def at_nothing(self, times="1000"):
        """The connection ends before an answer."""
        if self.nth > int(times):
            return self.answer(200, DONE)
        self.close_connection = True

    def at_noise(self):
        self.wfile.write(b"220 mail.example ESMTP\r\n")
        self.close_connection = True

    def at_huge(self, promised):
        """100 MB, with or without saying so before."""
        length = 100_000_000
        try:
            if promised == "promised":
                self.send_response(200)
                self.send_header("Content-Length", str(length))
                self.end_headers()
            else:
                self.wfile.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
            sent = 0
            while sent < length:
                sent += self.wfile.write(b" " * 65536)
        except OSError:
            pass
        note(sent=sent)
        self.close_connection = True

    def at_headers(self):
        try:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            for number in range(100_000):
                self.wfile.write(b"X-%d: %s\r\n" % (number, b"x" * 1000))
        except OSError:
            pass
        self.close_connection = True

    def at_hang(self):
        """No answer; says when the client has gone."""
        self.connection.recv(1)
        note(gone=True)
        self.close_connection = True

    def at_slow(self):
        """An answer byte by byte."""
        self.send_response(200)
        self.send_header("Content-Length", str(len(DONE)))
        self.end_headers()
        for byte in DONE:
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            time.sleep(0.02)

    def at_redirect(self, status, *target):
        """To a path of this server, or to `http:` + `host:port` + path."""
        location = "/" + "/".join(target)
        if target[0] in ("http:", "https:"):
            location = target[0] + "//" + "/".join(target[1:])
        self.answer(int(status), b"", Location=location)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        pass


server = Server(("127.0.0.1", 0), Handler)
if sys.argv[1:2] == ["--tls"]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2], sys.argv[3])
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print(server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
os._exit(0)
