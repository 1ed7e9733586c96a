"""What each form of the pages may do. A form that is not in the table is a finding."""
from typing import NamedTuple

from pages import PASSWORD

NEW_PASSWORD = "sixty herons over 4 quiet locks"


class Expected(NamedTuple):
    # Fields with text that people choose: what the API accepts is stored.
    free: frozenset = frozenset()
    # Fields that may be empty or left out.
    optional: frozenset = frozenset()
    # Fields that only lead to the next page, or are read by browsers only.
    leading: frozenset = frozenset({"family", "return"})
    # If true, it concerns only whoever sends it, so everybody may.
    is_own: bool = False
    # If true, every further form has an effect.
    repeats: bool = False
    # Tables in which every form is recorded.
    recorded: frozenset = frozenset()
    # If true, the person's own name is stored first, even if the rest is refused.
    names_first: bool = False
    # If true, few are accepted in a day.
    is_limited: bool = False
    # If true, nothing is stored.
    is_quiet: bool = False
    # If true, it needs a browser's passkey, so it has no effect here. passkeys.py sends it with one.
    needs_device: bool = False
    # If true, its operation takes the form's idempotency key: under the same key, the form has no
    # further effect and gets the same response.
    takes_key: bool = True
    # If true, a secret in its address authorizes it, for mail programs too (RFC 8058).
    has_secret_link: bool = False


def _(*, leading="family return", **more) -> Expected:
    """Names of fields and tables are separated by spaces."""
    return Expected(leading=frozenset(leading.split()), **{
        name: frozenset(value.split()) if isinstance(value, str) else value
        for name, value in more.items()})


FORMS = {
    "/account add-passkey": _(free="label", optional="label", is_own=True, needs_device=True,
                              takes_key=False),
    "/account add-provider": _(leading="", is_own=True, takes_key=False),
    # Each form mails a code, as the form of /sign-in does.
    "/account address": _(leading="again ticket", free="email", is_own=True, is_quiet=True,
                          is_limited=True, repeats=True, takes_key=False),
    "/account consent": _(is_own=True),
    "/account end-others": _(is_own=True),
    "/account end-session": _(),
    # Without a code, each form mails one; the tries of a day are limited.
    "/account erase": _(leading="family return again", optional="children code", is_own=True, recorded="jobs", takes_key=False),
    "/account export": _(is_own=True, is_quiet=True, is_limited=True, recorded="audit_log",
                         takes_key=False),
    "/account name": _(leading="was_avatar was_locale was_name was_role", free="name",
                       optional="name role avatar locale", is_own=True,
                       recorded="audit_log family_changes user_changes"),
    "/account new-address": _(leading="email", is_own=True, recorded="jobs", takes_key=False),
    "/account password": _(free="password", leading="username", is_own=True, takes_key=False),
    "/account remove-way": _(),
    "/account withdraw": _(leading=""),
    "/account withdraw-consent": _(is_own=True),
    "/continue continue": _(is_own=True, takes_key=False),
    "/demo continue": _(is_own=True, repeats=True, takes_key=False),
    "/family approve": _(),
    "/family choose": _(is_own=True, is_quiet=True, takes_key=False),
    "/family hide": _(is_own=True, takes_key=False),
    "/family leave": _(leading="", optional="heir"),
    "/family reject": _(),
    "/family remove": _(optional="heir rotate"),
    "/family renew": _(leading="", optional="days"),
    "/family role": _(leading="family was base heir"),
    "/family seat": _(),
    "/family transfer": _(leading=""),
    "/family/activity": _(is_own=True, is_quiet=True),
    "/family/child add": _(free="child_name", leading=""),
    "/family/child add-guardian": _(),
    "/family/child consent": _(),
    "/family/child consent-code": _(leading="family return again"),
    "/family/child decline": _(),
    "/family/child edit": _(leading="family return was_avatar was_child_name", free="child_name",
                            optional="avatar"),
    "/family/child grow": _(optional="email"),
    "/family/child preferences": _(free="new_name new_value", optional="new_name new_value"),
    "/family/child promote": _(),
    "/family/child remove": _(),
    "/family/child remove-guardian": _(),
    "/family/child withdraw": _(),
    "/family/invite link": _(leading="email", optional="email household_role"),
    "/family/invite resend": _(),
    "/family/invite revoke": _(),
    "/family/invite send": _(leading="", optional="household_role"),
    "/family/join": _(is_own=True, is_quiet=True),
    "/family/new create": _(
        free="family_name name", optional="name family_name another", is_own=True,
        names_first=True),
    "/family/settings save": _(
        leading="was_approval was_homeLatitude was_homeLongitude was_name",
        free="name homeLatitude homeLongitude"),
    "/join accept": _(leading="family return seen", free="name",
                      optional="name role sure grows", names_first=True,
                      recorded="audit_log family_changes user_changes"),
    "/join decline": _(leading="family return seen"),
    "/join join": _(leading="family return full", free="name", optional="name role sure",
                    is_own=True, names_first=True,
                    recorded="audit_log family_changes family_code_usage_log user_changes"),
    "/refuse-invitations": _(has_secret_link=True, takes_key=False),
    "/refuse-invitations all": _(has_secret_link=True, leading="all", takes_key=False),
    "/reset-password": _(free="password", is_own=True, repeats=True, takes_key=False),
    "/sign-in code": _(leading="return password", is_own=True, repeats=True, takes_key=False),
    "/sign-in link": _(is_own=True, takes_key=False),
    "/sign-in passkey": _(is_own=True, needs_device=True, takes_key=False),
    "/sign-in password": _(is_own=True, repeats=True, takes_key=False),
    "/sign-in resend": _(leading="return ticket", is_own=True, repeats=True, takes_key=False),
    "/sign-in sign-out": _(leading="family return stay", is_own=True, takes_key=False),
    "/sign-in sign-up": _(free="name password", optional="name", is_own=True, repeats=True,
                          takes_key=False),
    "/sign-in verify": _(leading="return email", is_own=True, takes_key=False),
}

# What is typed into fields, and chosen among options.
TYPED = {
    "name": "Robin Redshank", "family_name": "The Redshanks", "child_name": "Robin",
    "avatar": "fox", "days": "30", "label": "Laptop", "homeLatitude": "48.25",
    "homeLongitude": "16.5", "current": PASSWORD, "approval": "no", "sure": "yes",
    "grows": "yes", "new_name": "colour", "new_value": "teal",
}
TYPED_IN = {
    ("/account password", "password"): NEW_PASSWORD,
    ("/reset-password", "password"): NEW_PASSWORD,
    ("/sign-in password", "password"): PASSWORD,
    ("/sign-in sign-up", "password"): NEW_PASSWORD,
}
# Text that each field refuses.
REFUSED = {
    "name": "x" * 81, "family_name": "x" * 81, "child_name": "x" * 31,
    "days": "soon", "email": "nobody.example.com", "homeLatitude": "north",
    "homeLongitude": "181.5", "label": "x" * 81,
}
