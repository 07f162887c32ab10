"""python3 receive.py: a webhook receiver that counts each event once, also after a restart."""

import os
import sqlite3
from http.server import BaseHTTPRequestHandler, HTTPServer

from kelpie import verify_webhook

SECRET = os.environ["KELPIE_WEBHOOK_SECRET"]
db = sqlite3.connect(os.environ.get("STORE", "webhooks.db"), isolation_level=None)
db.execute("pragma synchronous = full")
db.execute("create table if not exists events (id text primary key, sequence integer unique, type text)")
db.execute("create table if not exists payouts (id text primary key, status text, version integer)")


def apply(event):
    with db:
        db.execute("begin immediate")
        added = db.execute(
            "insert into events values (?, ?, ?) on conflict (id) do nothing",
            (event["id"], event["sequence"], event["type"]),
        ).rowcount
        if added == 1 and event["type"].startswith("payout."):
            # An older event that arrives late changes nothing: its version is lower.
            db.execute(
                """insert into payouts values (?, ?, ?) on conflict (id) do update
                   set status = excluded.status, version = excluded.version where excluded.version > payouts.version""",
                (event["data"]["id"], event["data"]["status"], event["version"]),
            )


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            event = verify_webhook(headers, body, SECRET)
        except (KeyError, ValueError):
            self.send_error(400)
            return
        apply(event)
        # Only now: an event that is not stored yet is sent again.
        self.send_response(204)
        self.end_headers()

    def log_message(self, *args):
        pass


server = HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Receiver)
print("listening", flush=True)
server.serve_forever()
