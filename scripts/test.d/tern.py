"""An OpenID provider on this machine: django-oauth-toolkit, as its documentation sets it up.

usage: tern.py PORT FOLDER CALLBACK SECRET NAME...

  PORT      the port to listen on
  FOLDER    the folder for its database
  CALLBACK  the only redirect URI of the client "pages"
  SECRET    the file with the client's secret
  NAME      the names of the accounts; each has the password tern-password

Unlike oidc-provider-mock, it checks the client's secret, the redirect URI and the code verifier
(PKCE is required), people sign in with a password, its issuer has a path that ends with a slash,
and its responses name the issuer (RFC 9207). POST /rotate replaces its signing key; the earlier
ones stay in the key set.
"""

import os
import sys
from pathlib import Path

import django
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from django.conf import settings

PORT, FOLDER, CALLBACK, SECRET, *NAMES = sys.argv[1:]
PASSWORD = "tern-password"
LOGIN = """<!DOCTYPE html><html lang="en"><title>Tern</title><form method="post">{% csrf_token %}
{{ form.as_p }}<button type="submit">Sign in</button></form></html>"""


def new_key() -> str:
    return rsa.generate_private_key(65_537, 2_048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption()).decode()


settings.configure(
    SECRET_KEY=os.urandom(32).hex(),
    ALLOWED_HOSTS=["localhost", "127.0.0.1"],
    INSTALLED_APPS=[
        "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions",
        "django.contrib.staticfiles", "oauth2_provider"],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware"],
    DATABASES={"default": {
        "ENGINE": "django.db.backends.sqlite3", "NAME": f"{FOLDER}/tern.sqlite",
        "OPTIONS": {"timeout": 20}}},
    TEMPLATES=[{
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth"],
            "loaders": [
                ("django.template.loaders.locmem.Loader", {"registration/login.html": LOGIN}),
                "django.template.loaders.app_directories.Loader"]}}],
    ROOT_URLCONF=__name__,
    STATIC_URL="static/",
    LOGIN_URL="/accounts/login/",
    # As Django advises for tests: Hearth waits for five seconds only, however busy the machine is.
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
    USE_TZ=True,
    OAUTH2_PROVIDER={
        "OIDC_ENABLED": True,
        "OIDC_ISS_ENDPOINT": f"http://localhost:{PORT}/o/",
        "OIDC_RSA_PRIVATE_KEY": new_key(),
        "OAUTH2_VALIDATOR_CLASS": f"{__name__}.Validator",
        "SCOPES": {"openid": "Identity", "profile": "Name", "email": "Email address"},
        "PKCE_REQUIRED": True,
        "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
        "COMPLIANT_BCP_RFC9700_IMPLICIT_GRANT": True,
        "COMPLIANT_BCP_RFC9700_PASSWORD_GRANT": True,
        "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
    })
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.contrib.auth.views import LoginView  # noqa: E402
from django.contrib.staticfiles.handlers import StaticFilesHandler  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.servers import basehttp  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.http import HttpResponse  # noqa: E402
from django.urls import include, path  # noqa: E402
from django.views.decorators.csrf import csrf_exempt  # noqa: E402
from django.views.decorators.http import require_POST  # noqa: E402
from oauth2_provider.models import Application  # noqa: E402
from oauth2_provider.oauth2_validators import OAuth2Validator  # noqa: E402
from oauth2_provider.settings import oauth2_settings  # noqa: E402


class Validator(OAuth2Validator):
    def get_additional_claims(self, request):
        return {
            "name": request.user.get_full_name(), "email": request.user.email,
            "email_verified": True}


@csrf_exempt
@require_POST
def rotate(_):
    former = oauth2_settings.OIDC_RSA_PRIVATE_KEY
    oauth2_settings.OIDC_RSA_PRIVATE_KEYS_INACTIVE = [
        former, *oauth2_settings.OIDC_RSA_PRIVATE_KEYS_INACTIVE]
    oauth2_settings.OIDC_RSA_PRIVATE_KEY = new_key()
    return HttpResponse(status=204)


urlpatterns = [
    path("accounts/login/", LoginView.as_view()),
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
    path("rotate", rotate),
]

call_command("migrate", verbosity=0)
for name in NAMES:
    User.objects.create_user(
        name, f"{name}@example.com", PASSWORD, first_name="Tern", last_name="North")
Application.objects.create(
    client_id="pages", client_secret=Path(SECRET).read_text(encoding="utf-8").rstrip("\n"),
    client_type=Application.CLIENT_CONFIDENTIAL, name="Hearth",
    authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE, redirect_uris=CALLBACK,
    algorithm=Application.RS256_ALGORITHM, hash_client_secret=False)
basehttp.run(
    "127.0.0.1", int(PORT), StaticFilesHandler(get_wsgi_application()), threading=True)
