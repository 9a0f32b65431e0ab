"""Headless Chromium with our page, and the server that the page talks to."""
import contextlib
import http.server
import json
import os
import pathlib
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
BATCH_BYTES = 1 << 20  # of cases that the page gets at once
STATIC = {"/": ("page.html", "text/html"), "/page.mjs": ("page.mjs", "text/javascript"),
          "/run_plan.mjs": ("run_plan.mjs", "text/javascript")}
# SwiftShader, so that every machine gives the same answers. The rest keeps Chromium from doing anything but our page.
FLAGS = ["--headless", "--no-sandbox", "--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader", "--disable-quic",
         "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-extensions", "--disable-dev-shm-usage", "--disable-default-apps", "--metrics-recording-only",
         "--mute-audio"]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class Failure(Exception):
    """The cross-check could not be done."""


class Deadline:
    """The end of the time that a run may take."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.end = time.monotonic() + seconds

    def left(self):
        return max(0.0, self.end - time.monotonic())

    def is_over(self):
        return self.left() == 0

    def __str__(self):
        return f"the time limit of {self.seconds:g} s (--time-limit) is over"


def find_chromium():
    named = os.environ.get("WGK_CHROMIUM")
    return named or next(filter(None, map(shutil.which, NAMES)), None)


class Exchange:
    """What page and driver tell each other. `plan` turns a device profile into the lines of cases."""

    def __init__(self, plan):
        self.plan = plan
        self.cases = []
        self.results = []
        self.events = queue.Queue()  # ("planned" | "result" | "done" | "failed", value)

    def batch(self, first):
        """Lines from `first` on: one, and more while they fit."""
        end, size = first + 1, len(self.cases[first])
        while end < len(self.cases) and size + len(self.cases[end]) < BATCH_BYTES:
            size += len(self.cases[end])
            end += 1
        return "\n".join(self.cases[first:end])

    def progress(self):
        return f"after {len(self.results)} of {len(self.cases)} plans" if self.cases else "before any plan was there"

    def post(self, path, body):
        if path == "/profile":
            try:
                self.cases = self.plan(body)
            except Exception as error:
                self.events.put(("failed", str(error)))
                raise
            self.events.put(("planned", None))
            return {"cases": len(self.cases)}
        if path == "/results":
            self.results += body.split("\n")
            self.events.put(("result", None))
        elif path == "/done":
            self.events.put(("done", json.loads(body)))
        elif path == "/failed":
            self.events.put(("failed", json.loads(body)["message"]))
        else:
            raise KeyError(path)
        return {}


def handler_of(exchange):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"  # one connection for all cases
        # An answer in two small packets would wait 40 ms for the acknowledgement of the first.
        wbufsize = -1
        disable_nagle_algorithm = True

        def reply(self, status, content_type, body):
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self):
            if self.path in STATIC:
                name, content_type = STATIC[self.path]
                return self.reply(200, content_type, (HERE / name).read_bytes())
            prefix, _, number = self.path.rpartition("/")
            if prefix == "/cases" and number.isdecimal() and int(number) < len(exchange.cases):
                return self.reply(200, "text/plain; charset=utf-8", exchange.batch(int(number)).encode())
            return self.reply(404, "text/plain", b"no such page")

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            try:
                answer = exchange.post(self.path, body)
            except Exception as error:
                return self.reply(500, "text/plain", str(error).encode())
            return self.reply(200, "application/json", json.dumps(answer).encode())

        def log_message(self, *_):
            pass

    return Handler


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):  # the browser is killed with its connections open
            super().handle_error(request, client_address)


@contextlib.contextmanager
def serving(exchange):
    server = Server(("127.0.0.1", 0), handler_of(exchange))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


@contextlib.contextmanager
def browsing(chromium, url):
    """Chromium in a process group of its own, with a profile that is thrown away."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen([chromium, *FLAGS, f"--user-data-dir={profile}", url], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def next_event(exchange, process, deadline):
    """Waits for the page; a browser that died, or the end of the time, is a failure."""
    while True:
        try:
            return exchange.events.get(timeout=1)
        except queue.Empty:
            if process.poll() is not None:
                raise Failure(f"Chromium ended with exit code {process.returncode}") from None
            if deadline.is_over():
                raise Failure(f"{deadline}, {exchange.progress()}") from None


def run_in_chromium(chromium, plan, deadline):
    """Runs every case; returns (lines of results, {"shaders", "remarks"})."""
    exchange = Exchange(plan)
    with serving(exchange) as url, browsing(chromium, url) as process:
        while True:
            kind, value = next_event(exchange, process, deadline)
            if kind == "failed":
                raise Failure(f"the page failed: {value}")
            if kind == "done":
                return exchange.results, value
