"""python3 pay.py ORDER: pays once per order, and waits for the result."""

import sys

from kelpie import KelpieError, create_payout, wait_for_payout

order_id = sys.argv[1]
order = {
    "amount_gbp": "25.00",
    "reference": f"Order {order_id}",
    "recipient": {
        "first_name": "Ada",
        "last_name": "Byron",
        "address": {"line1": "1 High Street", "city": "Leeds", "postal_code": "LS1 1AA"},
        "bank": {"bank_name": "Example Bank", "sort_code": "040004", "account_number": "12345678"},
    },
}
try:
    payout = wait_for_payout(create_payout(order, f"order-{order_id}"))
    print(payout["id"], payout["status"])
except KelpieError as error:
    sys.exit(f"{error} (request {error.request_id})")
