#!/usr/bin/env python3
"""Plays the Hugging Face Hub for the tests, on the loopback only.

usage: fake_hub.py ROOT [CERTIFICATE KEY]

The first path segment of every URL names a world, a folder below ROOT that one test owns:

    <world>/scenario.json                                   what goes wrong, read anew for every request
    <world>/repos/<owner>/<name>/<commit>/<file>            the content of repositories
    <world>/requests.jsonl                                  written: one object per request

scenario.json: {"branches": {"owner/name": {"v1": COMMIT}}, "token": TOKEN or null, "faults": [FAULT, ...]}
FAULT: {"match": part of the path, "times": how often (default: always), "kind": KIND, ...}
KIND:  status    answers with "status", "headers", "body"
       redirect  to "location", in which {http}, {other} and {https} are the ports
       truncate  announces the whole body and sends "bytes" of it
       corrupt   changes the first byte
       replace   sends "body" instead
       slow      sends "bytes" of the body, then nothing for "seconds"
       reset     resets the connection at "stage": connect, headers or body
       garbage   answers with something that is not HTTP
       plain     leaves out X-Repo-Commit and ETag
       norange   ignores Range

Prints {"http": PORT, "other": PORT, "https": PORT or 0} and ends when standard input is closed.
"""
import hashlib
import http.server
import json
import os
import pathlib
import socket
import ssl
import struct
import sys
import threading
import time

ROOT = pathlib.Path(sys.argv[1])
PORTS = {}
LOCK = threading.Lock()
USED = {}


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def note(self, world):
        line = {"method": self.command, "path": self.path, "host": self.headers.get("Host", ""),
                "authorization": self.headers.get("Authorization", ""), "range": self.headers.get("Range", ""),
                "port": self.server.server_address[1], "agent": self.headers.get("User-Agent", "")}
        with LOCK, open(ROOT / world / "requests.jsonl", "a", encoding="utf-8") as out:
            out.write(json.dumps(line) + "\n")

    def fault(self, world, scenario):
        for index, fault in enumerate(scenario.get("faults", [])):
            if fault.get("match", "") not in self.path:
                continue
            with LOCK:
                key = (world, index)
                USED[key] = USED.get(key, 0) + 1
                if USED[key] <= fault.get("times", 1 << 30):
                    return fault
        return {}

    def answer(self, status, headers, body):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def break_off(self):
        self.close_connection = True
        self.wfile.flush()
        reset(self.connection)

    def do_GET(self):
        # A proxy is asked for absolute addresses.
        path = self.path
        if path.startswith("http://"):
            path = "/" + path.split("/", 3)[3]
        parts = path.split("?")[0].split("/")
        world, rest = parts[1], parts[2:]
        if not (ROOT / world).is_dir():
            return self.answer(404, {}, b"")
        self.note(world)
        scenario = json.loads((ROOT / world / "scenario.json").read_text())
        fault = self.fault(world, scenario)
        kind = fault.get("kind", "")
        if kind == "reset" and fault["stage"] == "connect":
            return self.break_off()
        if kind == "garbage":
            self.wfile.write(b"this is not HTTP\r\n\r\n")
            return self.break_off()
        if kind == "status":
            body = fault.get("body", "").replace("{authorization}", self.headers.get("Authorization", ""))
            headers = {name: value.replace("{authorization}", self.headers.get("Authorization", ""))
                       for name, value in fault.get("headers", {}).items()}
            return self.answer(fault["status"], headers, body.encode())
        if kind == "redirect":
            location = fault["location"].format(**PORTS)
            headers = {"Location": location, **fault.get("headers", {})}
            return self.answer(fault.get("status", 302), headers, b"")
        if scenario.get("token") and rest[0] != "cdn":
            if self.headers.get("Authorization") != "Bearer " + scenario["token"]:
                return self.answer(401, {"X-Error-Code": "RepoNotFound", "X-Error-Message": "Repository not found"}, b"")
        self.serve(world, rest, scenario, fault)

    def serve(self, world, rest, scenario, fault):
        if rest[0] == "cdn":
            file, commit = ROOT / world / "/".join(rest), ""
        else:
            if rest[0] != "kernels" or len(rest) < 6 or rest[3] != "resolve":
                return self.answer(404, {"X-Error-Code": "EntryNotFound"}, b"")
            repository = "/".join(rest[1:3])
            folder = ROOT / world / "repos" / repository
            if not folder.is_dir():
                return self.answer(404, {"X-Error-Code": "RepoNotFound", "X-Error-Message": "Repository not found"}, b"")
            commit = scenario.get("branches", {}).get(repository, {}).get(rest[4].replace("%2F", "/"), rest[4])
            if not (folder / commit).is_dir():
                return self.answer(404, {"X-Error-Code": "RevisionNotFound", "X-Error-Message": "Invalid rev id"}, b"")
            file = folder / commit / "/".join(rest[5:])
        if not file.is_file():
            return self.answer(404, {"X-Error-Code": "EntryNotFound", "X-Error-Message": "Entry not found"}, b"")
        self.send_file(file.read_bytes(), commit, fault)

    def send_file(self, body, commit, fault):
        kind = fault.get("kind", "")
        if kind == "corrupt":
            body = bytes([body[0] ^ 1]) + body[1:]
        if kind == "replace":
            body = fault["body"].encode()
        headers = {}
        if kind != "plain":
            etag = hashlib.sha1(b"blob %d\0" % len(body) + body).hexdigest()
            headers = {"ETag": f'"{etag}"', "Accept-Ranges": "bytes"}
            if commit:
                headers["X-Repo-Commit"] = commit
        status, whole = 200, len(body)
        asked = self.headers.get("Range", "")
        if asked.startswith("bytes=") and kind != "norange":
            start = int(asked[6:].split("-")[0])
            status, body = 206, body[start:]
            headers["Content-Range"] = f"bytes {start}-{whole - 1}/{whole}"
        if kind in ("", "corrupt", "replace", "plain", "norange"):
            return self.answer(status, headers, body)
        stage = fault.get("stage", "")
        if stage == "headers":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Le")
            return self.break_off()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:fault.get("bytes", len(body) // 2)])
        self.wfile.flush()
        self.close_connection = True
        if kind == "slow":
            time.sleep(fault["seconds"])
        if kind == "reset":
            time.sleep(0.05)  # let the client read what came
            return self.break_off()
        return None


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # clients that break off are what the tests are about


def start(context=None):
    server = Server(("127.0.0.1", 0), Handler)
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def main():
    PORTS["http"] = start()
    PORTS["other"] = start()
    PORTS["https"] = 0
    if len(sys.argv) > 3:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
        PORTS["https"] = start(context)
    print(json.dumps(PORTS), flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
