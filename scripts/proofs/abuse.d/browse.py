"""A browser without a screen: it keeps cookies, reads pages, and collects their links and forms."""
import html.parser
import http.client
import re
import urllib.parse
from typing import NamedTuple

from tools import Site

FORM = "application/x-www-form-urlencoded"
# What browsers send with a form of one of the site's own pages.
OWN = {"Sec-Fetch-Site": "same-origin", "Origin": "null"}
# Elements without an end.
VOID = {"input", "meta", "link", "br", "hr", "img", "path"}


class Answer(NamedTuple):
    """A response; the status is 0 if there was none."""
    status: int
    headers: http.client.HTTPMessage
    text: str

    def header(self, name: str) -> str:
        return self.headers.get(name) or ""

    @property
    def is_page(self) -> bool:
        return self.header("Content-Type").startswith("text/html")


class Field(NamedTuple):
    name: str
    # The type of an input; "radio", "checkbox" and "select" have options.
    kind: str
    value: str
    options: tuple[str, ...] = ()
    is_required: bool = False


class Form(NamedTuple):
    """One form of a page, with one of its buttons."""
    # Path and query of the page that has it.
    page: str
    method: str
    # Path and query to which it is sent.
    target: str
    action: str
    fields: tuple[Field, ...]

    @property
    def kind(self) -> str:
        """Name of what the form does: the same on every page that has it."""
        path, _, query = self.target.partition("?")
        names = sorted(re.findall(r"(?:^|&)([a-z_]+)=", query))
        words = [path, self.action] + [name for name in names if name != "token"]
        return " ".join(word for word in words if word)

    def has(self, name: str) -> bool:
        return any(field.name == name for field in self.fields)

    def value(self, name: str) -> str:
        return next((field.value for field in self.fields if field.name == name), "")

    @property
    def subject(self) -> tuple:
        """What the form is about: its fixed values, apart from those of one browser or page."""
        return self.kind, self.target, tuple(sorted(
            (field.name, field.value) for field in self.fields
            if field.kind == "hidden" and field.name not in ("form_token", "key", "was", "base")))

    @property
    def shape(self) -> tuple:
        return self.kind, tuple(sorted({field.name for field in self.fields}))


class Reader(html.parser.HTMLParser):
    """Links, forms and elements of a page."""

    def __init__(self, text: str):
        super().__init__(convert_charrefs=True)
        self.links: list[str] = []
        # Elements and their attributes.
        self.elements: list[tuple[str, dict[str, str]]] = []
        # Method, target, fields and buttons.
        self.forms: list[tuple[str, str, list[dict], list[dict]]] = []
        self.alerts: list[str] = []
        self.words: list[str] = []
        self._open: list[tuple[str, bool]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, pairs):
        attributes = {name: value or "" for name, value in pairs}
        self.elements.append((tag, attributes))
        if tag not in VOID:
            self._open.append((tag, attributes.get("role") == "alert"
                               or "lead" in attributes.get("class", "").split()))
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
        elif tag == "form":
            self.forms.append((attributes.get("method", "get").upper(),
                               attributes.get("action", ""), [], []))
        elif self.forms and tag in ("input", "select", "button"):
            _, _, fields, buttons = self.forms[-1]
            if tag == "button":
                if attributes.get("type", "submit") == "submit":
                    buttons.append(attributes)
            elif "name" in attributes:
                fields.append({**attributes, "tag": tag, "options": []})
        elif self.forms and tag == "option" and self.forms[-1][2]:
            self.forms[-1][2][-1]["options"].append(
                (attributes.get("value", ""), "selected" in attributes))

    def handle_endtag(self, tag):
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        self.words.append(data)
        if any(tells for _, tells in self._open):
            self.alerts.append(data)

    @property
    def explanation(self) -> str:
        """The text of alerts, and of the paragraph below the heading."""
        return " ".join(" ".join(self.alerts).split())

    def value(self, name: str) -> str | None:
        """The value of a page's field; nothing if no form has it."""
        for _, _, fields, _ in self.forms:
            for field in fields:
                if field["name"] == name and field.get("type") not in ("hidden", "radio"):
                    return field.get("value", "")
        return None


def forms_of(page: str, text: str) -> list[Form]:
    """The forms of a page, once for each of their buttons."""
    found = []
    for method, target, inputs, buttons in Reader(text).forms:
        fields: dict[str, Field] = {}
        for field in inputs:
            name, kind = field["name"], "select" if field["tag"] == "select" else field["type"]
            if kind == "select":
                chosen = [value for value, is_chosen in field["options"] if is_chosen]
                options = tuple(value for value, _ in field["options"])
                fields[name] = Field(name, kind, (chosen or list(options) or [""])[0], options)
            elif kind == "radio" and name in fields:
                fields[name] = fields[name]._replace(
                    options=fields[name].options + (field["value"],),
                    value=field["value"] if "checked" in field else fields[name].value)
            elif kind in ("radio", "checkbox"):
                fields[name] = Field(
                    name, kind, field["value"] if "checked" in field else "", (field["value"],),
                    "required" in field)
            else:
                fields[name] = Field(name, kind, field.get("value", ""), (), "required" in field)
        address = urllib.parse.urljoin(page, target)
        for button in buttons or [{}]:
            hidden = dict(fields)
            if "name" in button:
                hidden[button["name"]] = Field(button["name"], "hidden", button.get("value", ""))
            action = hidden["action"].value if "action" in hidden else ""
            found.append(Form(page, method, address, action, tuple(hidden.values())))
    return found


class Browser:
    """A browser with its cookies. Its requests seem to come from an address of its own, because
    the site trusts X-Forwarded-For."""

    def __init__(self, site: Site, name: str):
        self.site, self.name = site, name
        self.cookies: dict[str, str] = {}

    def twin(self) -> "Browser":
        """Another window with the same cookies."""
        other = Browser(self.site, self.name)
        other.cookies = dict(self.cookies)
        return other

    def request(self, method: str, path: str, body: bytes | None = None, headers=None) -> Answer:
        """One request on a connection of its own. Redirects are not followed."""
        sent = {"Accept": "text/html", "Accept-Language": "en", "X-Forwarded-For": "10.77.7.7"}
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        sent.update(headers or {})
        connection = http.client.HTTPConnection(self.site.host, self.site.port, timeout=40)
        try:
            connection.request(method, path, body=body, headers=sent)
            answer = connection.getresponse()
            text = answer.read().decode("utf-8", "replace")
        except (OSError, http.client.HTTPException, ValueError) as error:
            return Answer(0, http.client.HTTPMessage(), f"{type(error).__name__}: {error}")
        finally:
            connection.close()
        for given in answer.headers.get_all("Set-Cookie") or []:
            name, _, rest = given.partition("=")
            if "Max-Age=0" in given:
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = rest.partition(";")[0]
        return Answer(answer.status, answer.headers, text)

    def open(self, path: str) -> Answer:
        return self.request("GET", path)

    def begin(self, provider, query: str = "") -> str:
        """Where the link of a provider leads."""
        return self.open(f"/sign-in/with/{provider.name}{query}").header("Location")

    def follow(self, path: str) -> tuple[str, Answer]:
        """A page, where its redirects lead."""
        for _ in range(5):
            answer = self.open(path)
            if answer.status != 303:
                return path, answer
            path = urllib.parse.urljoin(path, answer.header("Location")).partition("#")[0]
        raise SystemExit(f"{self.name}: {path} leads from page to page")

    def post(self, path: str, values: list[tuple[str, object]], headers=None) -> Answer:
        """Sends a form; values are text or bytes."""
        return self.request("POST", path, encoded_form(values),
                            {"Content-Type": FORM, **OWN, **(headers or {})})


def encoded_form(values: list[tuple[str, object]]) -> bytes:
    def quoted(value) -> str:
        data = value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")
        return urllib.parse.quote_plus(data)

    return "&".join(f"{quoted(name)}={quoted(value)}" for name, value in values).encode()


def crawl(browser: Browser, seeds: list[str], most: int = 400) -> dict[str, Answer]:
    """All pages that links lead to, by path and query."""
    pages: dict[str, Answer] = {}
    waiting = list(seeds)
    while waiting:
        path = waiting.pop(0)
        # Redirects to other sites, such as providers, are not followed.
        if not path or path in pages or len(pages) >= most:
            continue
        pages[path] = answer = browser.open(path)
        if answer.status == 303:
            waiting.append(_within(path, answer.header("Location")))
        elif answer.is_page:
            waiting += [link for link in
                        (_within(path, link) for link in Reader(answer.text).links) if link]
    return pages


def _within(page: str, link: str) -> str:
    """Path and query of a link to this site; empty for others."""
    parts = urllib.parse.urlsplit(urllib.parse.urljoin("http://here" + page, link))
    if parts.netloc != "here":
        return ""
    return parts.path + ("?" + parts.query if parts.query else "")
