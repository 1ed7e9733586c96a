"""Writes the images of deploy/images.txt into the files that use them; scripts/pin-images runs it.

usage: images.py [--digests | --check]
"""

import json
import pathlib
import re
import sys
import urllib.error
import urllib.parse
import urllib.request

LIST = pathlib.Path("deploy/images.txt")
# How the files name an image, by its name in the list. For another major version of PostgreSQL, an
# operator sets only HEARTH_POSTGRES_MAJOR: the digest must then not stay.
COMPOSE = {
    "swift": "${HEARTH_SWIFT_IMAGE:-<image>}",
    "debian": "${HEARTH_RUNTIME_IMAGE:-<image>}",
    "postgres": "${HEARTH_POSTGRES_IMAGE:-postgres:${HEARTH_POSTGRES_MAJOR:-<tag>}}",
    "mailpit": "${HEARTH_MAILPIT_IMAGE:-<image>}",
}
POSTGREST = {"postgrest": "${HEARTH_POSTGREST_IMAGE:-<image>}"}
PLACES = {
    "Dockerfile": {"swift": "ARG SWIFT_IMAGE=<image>", "debian": "ARG RUNTIME_IMAGE=<image>"},
    "docker-compose.yml": COMPOSE | POSTGREST,
    "deploy/compose/Dockerfile": {"postgres": "ARG POSTGRES_IMAGE=<image>"},
    "deploy/compose/docker-compose.yml": COMPOSE,
    ".env.example": {
        "swift": "#HEARTH_SWIFT_IMAGE=<image>", "debian": "#HEARTH_RUNTIME_IMAGE=<image>",
        "postgres": "#HEARTH_POSTGRES_IMAGE=<image>",
        "postgrest": "#HEARTH_POSTGREST_IMAGE=<image>",
        "mailpit": "#HEARTH_MAILPIT_IMAGE=<image>",
    },
    "deploy/kubernetes/database.yaml": {"cloudnative-pg": "  imageName: <image>"},
}
WORKFLOW = {"swift": "      image: <image>"}
# All forms of a manifest. The digest of an index is that of the images for all processors.
ACCEPT = ", ".join([
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
])


def places():
    workflows = sorted(pathlib.Path(".github/workflows").glob("*.yml"))
    return PLACES | {str(path): WORKFLOW for path in workflows
                     if "container:" in path.read_text(encoding="utf-8")}


def listed(text):
    return dict(line.split() for line in text.splitlines() if line and not line.startswith("#"))


def written(text, name, form, image, problems, path):
    """The text with this image in each place of this form. Adds the differences to the problems."""
    pattern = re.escape(form).replace("<image>", r"(\S+?)").replace("<tag>", r"([^\s}]+)")
    word = image if "<image>" in form else image.partition(":")[2]
    # Compose names an image behind a key; the other forms are whole lines.
    if not form.startswith("$"): pattern = "^" + pattern
    if "<tag>" in form and f":-{image.partition(':')[0]}:" not in form:
        problems.append(f"{path}: has another image than {image} for {name}")
    found = re.findall(rf"(?m){pattern}$", text)
    for other in found or ["no image"]:
        if other != word: problems.append(f"{path}: expected {word} for {name}, found {other}")
    new = form.replace("<image>", image).replace("<tag>", word)
    return re.sub(rf"(?m){pattern}$", lambda _: new, text)


def update(writes):
    """Writes the listed images into all files, or only compares; returns where files differed."""
    images, problems = listed(LIST.read_text(encoding="utf-8")), []
    for path, forms in places().items():
        text = pathlib.Path(path).read_text(encoding="utf-8")
        new = text
        for name, form in forms.items():
            if name not in images:
                problems.append(f"{LIST}: has no image {name}, which {path} needs")
            else:
                new = written(new, name, form, images[name], problems, path)
        if writes and new != text: pathlib.Path(path).write_text(new, encoding="utf-8")
    used = {name for forms in places().values() for name in forms}
    problems += [f"{LIST}: no file uses {name}" for name in sorted(set(images) - used)]
    return problems


def address(image):
    """The host, the repository and the tag of an image, as Docker reads them."""
    repository, _, tag = image.partition("@")[0].rpartition(":")
    first, _, rest = repository.partition("/")
    if "." in first: return first, rest, tag
    return "registry-1.docker.io", repository if rest else f"library/{repository}", tag


def token(challenge):
    """The token for anybody that a registry's refusal points to."""
    words = dict(re.findall(r'(\w+)="([^"]*)"', challenge))
    asked = {key: words[key] for key in ("service", "scope") if key in words}
    url = f"{words['realm']}?{urllib.parse.urlencode(asked)}"
    with urllib.request.urlopen(url, timeout=30) as answer:
        found = json.load(answer)
    return found.get("token") or found["access_token"]


def digest(image):
    """The digest of the image that the tag names now, by the HTTP API of its registry."""
    host, repository, tag = address(image)
    request = urllib.request.Request(
        f"https://{host}/v2/{repository}/manifests/{tag}", headers={"Accept": ACCEPT},
        method="HEAD")
    try:
        answer = urllib.request.urlopen(request, timeout=30)
    except urllib.error.HTTPError as refusal:
        if refusal.code != 401: raise
        request.add_header("Authorization", f"Bearer {token(refusal.headers['WWW-Authenticate'] or '')}")
        answer = urllib.request.urlopen(request, timeout=30)
    with answer: found = answer.headers["Docker-Content-Digest"] or ""
    if not re.fullmatch("sha256:[0-9a-f]{64}", found): raise OSError(f"no digest: '{found}'")
    return found


def pin():
    """Writes the digest of each image into the list."""
    text = LIST.read_text(encoding="utf-8")
    for image in listed(text).values():
        try:
            pinned = f"{image.partition('@')[0]}@{digest(image)}"
        except (OSError, KeyError, ValueError) as error:
            print(f"pin-images: can't look up {image}: {error}", file=sys.stderr)
            sys.exit(69)
        text = re.sub(rf"(?m) {re.escape(image)}$", f" {pinned}", text)
    LIST.write_text(text, encoding="utf-8")


def main():
    if sys.argv[1:] not in ([], ["--digests"], ["--check"]): sys.exit(__doc__)
    if sys.argv[1:] == ["--digests"]: pin()
    writes = sys.argv[1:] != ["--check"]
    problems = update(writes)
    # What was written is compared again: a file without the place can't be mended here.
    if writes: problems = update(False)
    for problem in problems: print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__": sys.exit(main())
