"""Verifies received webhooks with the library of Standard Webhooks from PyPI.

usage: verify_webhooks.py FILE SECRET...

FILE is what webhook_receiver.py has written. Prints how many requests a receiver with each SECRET
accepts, and how many it accepts after one character of the body was changed.
"""

import json
import sys

from standardwebhooks.webhooks import Webhook, WebhookVerificationError


def accepts(secret, body, headers):
    try:
        Webhook(secret).verify(body, headers)
        return True
    except WebhookVerificationError:
        return False


with open(sys.argv[1]) as file:
    requests = [json.loads(line) for line in file]
for secret in sys.argv[2:]:
    good = sum(accepts(secret, r["body"], r["headers"]) for r in requests)
    forged = sum(accepts(secret, r["body"].replace(":", ": ", 1), r["headers"]) for r in requests)
    print(good, forged)
