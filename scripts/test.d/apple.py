"""A stand-in for Apple's sign-in on the web, on this machine.

usage: apple.py PORT TEAM_KEY

  PORT      the port to listen on
  TEAM_KEY  the team's private key in PEM, which signs the client's secrets

It does what Apple documents ("Sign in with Apple REST API"): a page with a button, whose response is
a form that the browser sends (form_post), with the person's name only the first time; and a token
endpoint, which checks the signed secret and takes a code once. Needs the package cryptography.
"""

import base64
import hashlib
import html
import http.server
import json
import secrets
import sys
import time
import urllib.parse

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils

PORT = int(sys.argv[1])
ISSUER = f"http://localhost:{PORT}"
with open(sys.argv[2], "rb") as file:
    TEAM = serialization.load_pem_private_key(file.read(), None).public_key()
KEY = ec.generate_private_key(ec.SECP256R1())
CODES: dict[str, dict] = {}
KNOWN: set[str] = set()


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def number(value: int) -> str:
    return encoded(value.to_bytes(32, "big"))


def signed(claims: dict) -> str:
    text = encoded(json.dumps({"alg": "ES256", "kid": "a"}).encode())
    text += "." + encoded(json.dumps(claims).encode())
    r, s = utils.decode_dss_signature(KEY.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
    return text + "." + encoded(r.to_bytes(32, "big") + s.to_bytes(32, "big"))


def is_team(form: dict) -> bool:
    """Whether the secret is a token that the team has signed for this client and Apple."""
    try:
        head, claims, signature = form["client_secret"].split(".")
        raw = decoded(signature)
        TEAM.verify(
            utils.encode_dss_signature(
                int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")),
            f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
        said = json.loads(decoded(claims))
        return (said["aud"] == ISSUER and said["sub"] == form["client_id"]
                and said["iat"] <= time.time() + 60 and time.time() < said["exp"])
    except (KeyError, ValueError, InvalidSignature):
        return False


class Apple(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def reply(self, status: int, text: str, media_type: str = "application/json") -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def page(self, content: str) -> None:
        self.reply(
            200, "<!DOCTYPE html><html lang=en><title>Apple</title><link rel=icon href=data:,>"
            f"<body>{content}</body>", "text/html; charset=utf-8")

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path == "/.well-known/openid-configuration":
            self.reply(200, json.dumps({
                "issuer": ISSUER, "authorization_endpoint": ISSUER + "/auth/authorize",
                "token_endpoint": ISSUER + "/auth/token", "jwks_uri": ISSUER + "/auth/keys",
                "token_endpoint_auth_methods_supported": ["client_secret_post"]}))
        elif path == "/auth/keys":
            public = KEY.public_key().public_numbers()
            self.reply(200, json.dumps({"keys": [{
                "kty": "EC", "crv": "P-256", "kid": "a", "use": "sig", "alg": "ES256",
                "x": number(public.x), "y": number(public.y)}]}))
        elif path == "/auth/authorize":
            self.page(f"<form method=post action='/auth/authorize?{html.escape(query)}'>"
                      "<input name=sub><button name=choice value=yes>Continue</button></form>")
        else:
            self.reply(404, "{}")

    def do_POST(self):
        path, _, query = self.path.partition("?")
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = dict(urllib.parse.parse_qsl(body))
        if path == "/auth/authorize":
            self.authorize(dict(urllib.parse.parse_qsl(query)), form["sub"])
        elif path == "/auth/token":
            self.token(form)
        else:
            self.reply(404, "{}")

    def authorize(self, request: dict, subject: str) -> None:
        """A page whose form goes to Hearth. Apple's sends itself by a script; this has a button,
        for browsers without scripts."""
        # Apple refuses any other mode if a name is asked for.
        assert request["response_mode"] == "form_post" and "name" in request["scope"]
        code = secrets.token_urlsafe(24)
        CODES[code] = {"subject": subject, **request}
        fields = {"code": code, "state": request["state"]}
        if subject not in KNOWN:
            KNOWN.add(subject)
            fields["user"] = json.dumps(
                {"name": {"firstName": "Ada", "lastName": "North"}, "email": "x@example.com"})
        inputs = "".join(
            f"<input type=hidden name={name} value='{html.escape(value)}'>"
            for name, value in fields.items())
        self.page(f"<form method=post action='{html.escape(request['redirect_uri'])}'>{inputs}"
                  "<button>Go on</button></form>")

    def token(self, form: dict) -> None:
        if not is_team(form):
            self.reply(400, '{"error": "invalid_client"}')
            return
        found = CODES.pop(form.get("code", ""), None)
        proof = encoded(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if (found is None or found["code_challenge"] != proof
                or found["redirect_uri"] != form.get("redirect_uri")):
            self.reply(400, '{"error": "invalid_grant"}')
            return
        now = int(time.time())
        claims = {
            "iss": ISSUER, "sub": found["subject"], "aud": form["client_id"], "iat": now,
            "exp": now + 600, "nonce": found["nonce"], "email_verified": "true",
            "email": f"{found['subject']}@privaterelay.example.com"}
        self.reply(200, json.dumps({
            "access_token": secrets.token_urlsafe(), "token_type": "Bearer", "expires_in": 3600,
            "refresh_token": secrets.token_urlsafe(), "id_token": signed(claims)}))


http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Apple).serve_forever()
