"""The endpoint of an application, to which a route sends messages again."""

import os
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

OF_HTTP = {"host", "connection", "content-length", "accept", "accept-encoding", "user-agent", "transfer-encoding"}


def serve_replays(put_back):
    """Calls put_back with the path, the headers and the body of each request, and answers 200."""

    class Endpoint(BaseHTTPRequestHandler):
        def do_POST(self):
            headers = {name.lower(): value for name, value in self.headers.items() if name.lower() not in OF_HTTP}
            put_back(self.path[1:], headers, self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *arguments):
            pass

    server = HTTPServer(("127.0.0.1", int(os.environ["REPLAY_PORT"])), Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
