"""Makes HTML of the documents, by mkdocs and its theme readthedocs.

usage: site.py FOLDER

Runs in an environment with the packages of site.txt. The site consists of docs/, README.md,
CHANGELOG.md, CONTRIBUTING.md, SECURITY.md and scripts/proofs/README.md. Links to other files of the
repository become plain text, because the site does not have these files. Exits with 1 if a link
leads nowhere, or if a page loads something from another server.
"""

import html.parser
import logging
import pathlib
import re
import shutil
import sys
import tempfile
import urllib.parse

import yaml
from mkdocs.commands.build import build
from mkdocs.config import load_config

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "test.d"))
from headings import anchor_of  # noqa: E402

# Files outside docs/, and their names in the site.
OTHERS = {
    "README.md": "index.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "SECURITY.md": "SECURITY.md",
    "scripts/proofs/README.md": "proofs.md",
}
LINK = re.compile(r"(!?)\[((?:[^\]\[]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
# A fenced block, or code within a line.
CODE = re.compile(r"(?ms)^ *```.*?^ *```$|(?<!`)(`+)(?!`)[^\n]+?(?<!`)\1(?!`)")
IMAGE = re.compile(r'(<img src=")([^":]+)(")')


def pages():
    """The pages of the site by their paths in the repository."""
    found = {str(path): str(path.relative_to("docs")) for path in pathlib.Path("docs").rglob("*.*")}
    return {**found, **OTHERS}


def with_links(text, path, names):
    """The text with links to pages by their names in the site."""
    depth = "../" * names[path].count("/")

    def resolved(file):
        return str((pathlib.Path(path).parent / file).resolve().relative_to(pathlib.Path.cwd()))

    def image(match):
        before, file, after = match.groups()
        return f"{before}{depth}{names[resolved(file)]}{after}"

    def link(match):
        mark, words, target = match.groups()
        file, _, anchor = target.partition("#")
        if not file or re.match(r"[a-z]+:", target): return match.group()
        if resolved(file) not in names: return words
        return f"{mark}[{words}]({depth}{names[resolved(file)]}{'#' + anchor if anchor else ''})"

    # Links in code stay as they are, and code in a link's words stays there.
    code = [match.group() for match in CODE.finditer(text)]
    replaced = IMAGE.sub(image, LINK.sub(link, CODE.sub("\0", text)))
    return re.sub("\0", lambda _: code.pop(0), replaced)


def menu(names):
    """The menu of menu.yml, with the decisions below their page."""
    with open(HERE / "menu.yml", encoding="utf-8") as file:
        entries = yaml.safe_load(file)
    for entry in entries:
        if isinstance(entry, dict) and "decisions/README.md" in next(iter(entry.values())):
            section = next(iter(entry.values()))
            place = section.index("decisions/README.md")
            decisions = sorted(name for name in names.values() if re.match(r"decisions/\d", name))
            section[place:place + 1] = [{"Decisions": ["decisions/README.md", *decisions]}]
    return entries


class References(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.targets, self.anchors = [], set()

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (tag == "a" and name == "name"): self.anchors.add(value)
            if value and name in ("href", "src"): self.targets.append((tag, value))


def faults_of(folder):
    """Dead links of the HTML files, and what they load from other servers."""
    parsed = {}
    for path in sorted(folder.rglob("*.html")):
        parsed[path] = References()
        parsed[path].feed(path.read_text(encoding="utf-8"))
    for path, page in parsed.items():
        if path.name == "404.html": continue
        for tag, target in page.targets:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme or parts.netloc:
                if tag != "a": yield f"{path.name} loads {target}"
                continue
            other = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if not other.exists():
                yield f"{path.name}: there is no {target}"
            elif parts.fragment and other in parsed and (
                    urllib.parse.unquote(parts.fragment) not in parsed[other].anchors):
                yield f"{path.name}: {target} has no such heading"


def main():
    target = pathlib.Path(sys.argv[1]).resolve()
    # Only a site of an earlier run is replaced.
    if target.exists() and any(target.iterdir()) and not (target / "sitemap.xml").exists():
        print(f"{target} has other files than those of a site", file=sys.stderr)
        return 73
    names = pages()
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    with tempfile.TemporaryDirectory() as scratch:
        source = pathlib.Path(scratch, "source")
        for path, name in names.items():
            place = source / name
            place.parent.mkdir(parents=True, exist_ok=True)
            if path.endswith(".md"):
                text = pathlib.Path(path).read_text(encoding="utf-8")
                place.write_text(with_links(text, path, names), encoding="utf-8")
            else:
                shutil.copyfile(path, place)
        config = load_config(
            config_file=str(HERE / "site.yml"), docs_dir=str(source),
            site_dir=str(pathlib.Path(scratch, "site")), nav=menu(names))
        # The anchors of GitHub, so that links work in both places.
        config.mdx_configs["toc"]["slugify"] = lambda heading, _: anchor_of(heading)
        build(config)
        made = pathlib.Path(config.site_dir)
        faults = list(faults_of(made))
        for fault in faults: print(fault)
        if faults: return 1
        if target.exists(): shutil.rmtree(target)
        shutil.copytree(made, target)
    return 0


sys.exit(main())
