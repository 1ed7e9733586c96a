"""Reads a message from the standard input as any mail program would, and prints it as JSON."""

import email
import email.policy
import json
import sys

raw = sys.stdin.buffer.read()
# Whatever it finds wrong ends it here.
email.message_from_bytes(raw, policy=email.policy.default + email.policy.strict)
message = email.message_from_bytes(raw, policy=email.policy.default)
parts = {part.get_content_type(): part.get_content() for part in message.iter_parts()}
json.dump(
    {
        "subject": message["subject"], "from": message["from"], "to": message["to"],
        "replyTo": message["reply-to"] or "", "messageId": message["message-id"],
        "date": str(message["date"].datetime), "autoSubmitted": message["auto-submitted"],
        "type": message.get_content_type(), "text": parts.get("text/plain", ""),
        "html": parts.get("text/html", ""), "headers": message.keys(),
        "defects": [str(d) for p in message.walk() for d in p.defects]
        + [str(d) for v in message.values() for d in v.defects],
        "longestLine": max(len(line) for line in raw.split(b"\r\n")),
        "loneBreaks": raw.replace(b"\r\n", b"").count(b"\n") + raw.replace(b"\r\n", b"").count(b"\r"),
    },
    sys.stdout)
