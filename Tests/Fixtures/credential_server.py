# SPDX-License-Identifier: Apache-2.0
"""Plays a cargo registry, a Docker registry, a registry of SwiftPM and a server with passwords, and prints its port.

It grants access only with the credentials of the tests.
"""
import base64
import http.server
import json


def basic(name, password):
    return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *arguments):
        pass

    def reply(self, code, body=b"{}", headers={}):
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        given = self.headers.get("Authorization", "")
        server = "http://" + self.headers["Host"]
        if self.path == "/index/config.json":
            self.reply(200, json.dumps({"dl": server + "/dl", "api": server}).encode())
        elif self.path.startswith("/api/v1/crates/"):
            users = {"users": [{"id": 1, "login": "owner-found", "name": None}]}
            allowed = given == "canary-token"
            self.reply(200 if allowed else 403, json.dumps(users if allowed else {}).encode())
        elif self.path == "/v2/":
            allowed = given == basic("alice", "canary-docker")
            self.reply(200 if allowed else 401, headers={} if allowed else {"WWW-Authenticate": 'Basic realm="x"'})
        elif self.path == "/file":
            allowed = given == basic("alice", "canary-netrc")
            self.reply(200 if allowed else 401, b"downloaded\n" if allowed else b"")
        elif self.path.startswith("/mona/"):
            # A package that does not exist.
            self.reply(404 if given == basic("alice", "canary-netrc") else 401)
        else:
            self.reply(404)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
