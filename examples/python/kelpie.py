"""Kelpie with the standard library of Python 3.9 and later: create a payout, wait for it, verify a webhook."""

import base64
import hashlib
import hmac
import json
import os
import random
import time
import urllib.error
import urllib.request

BASE_URL = os.environ["KELPIE_BASE_URL"]
API_KEY = os.environ["KELPIE_API_KEY"]
OPEN = ("pending", "processing")
ATTEMPTS = 5


class KelpieError(Exception):
    """Kelpie refused. Base your code on `code`; `request_id` is for support."""

    def __init__(self, status, code, message, request_id):
        super().__init__(f"{code}: {message}")
        self.status, self.code, self.request_id = status, code, request_id


def call(method, path, body=None, idempotency_key=None):
    """Repeats what is safe to repeat: reads, and what has an idempotency key."""
    headers = {"Authorization": f"Bearer {API_KEY}", "Content-Type": "application/json"}
    if idempotency_key is not None:
        headers["Idempotency-Key"] = idempotency_key
    data = None if body is None else json.dumps(body).encode()
    is_repeatable = method == "GET" or idempotency_key is not None
    for attempt in range(1, ATTEMPTS + 1):
        request = urllib.request.Request(BASE_URL + path, data, headers, method=method)
        pause = random.uniform(0.5, 1) * 2**attempt
        try:
            with urllib.request.urlopen(request, timeout=40) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            may_pass = error.code >= 500 or error.code in (408, 429)
            refused = json.load(error)["error"]
            if not (is_repeatable and may_pass) or attempt == ATTEMPTS:
                raise KelpieError(
                    error.code, refused["code"], refused["message"], error.headers.get("Request-Id")
                ) from None
            pause = float(error.headers.get("Retry-After", pause))
        except OSError:
            # No answer: the payout may exist. The same key never pays twice.
            if not is_repeatable or attempt == ATTEMPTS:
                raise
        time.sleep(pause)


def create_payout(order, idempotency_key):
    return call("POST", "/v1/payouts", order, idempotency_key)


def wait_for_payout(payout, seconds=120):
    ends_at = time.monotonic() + seconds
    while payout["status"] in OPEN and time.monotonic() < ends_at:
        payout = call("GET", f"/v1/payouts/{payout['id']}?wait=20")
    return payout


def verify_webhook(headers, body, secret, tolerance_seconds=300):
    """Returns the event, or raises ValueError. `headers` has lower-case names, `body` is the bytes that arrived."""
    sent_at = int(headers["webhook-timestamp"])
    if abs(time.time() - sent_at) > tolerance_seconds:
        raise ValueError("too old")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{sent_at}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    given = [each[3:] for each in headers["webhook-signature"].split(" ") if each.startswith("v1,")]
    if not any(hmac.compare_digest(expected, each) for each in given):
        raise ValueError("wrong signature")
    return json.loads(body)
