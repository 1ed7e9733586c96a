"""Checks that what the documents name exists.

usage: documents.py [--list]

  --list   also print the number of links, files and modules that were checked

Checks in every Markdown file of the repository: the file of each relative link, and its heading;
each path in backquotes that begins with a folder of the repository; each Swift, SQL and Python file
that is named without its folder; the syntax of each block of shell commands and of JSON. Also compares
the modules of docs/architecture.md with the folders in Sources, and the files in the root of the repository with the list below, and checks the form of
docs/decisions, that the menu of the site lists each page, and that the sentence which CONTRIBUTING.md
changes is in the files that it names and in no other. Exits with 1 if anything is missing.
"""

import argparse
import fnmatch
import functools
import json
import pathlib
import re
import subprocess
import sys

from headings import anchors_in, without_code

# Files and folders in the root: what tools look for there, and the folders of the project.
ROOT = {
    ".ci", ".devcontainer", ".dockerignore", ".editorconfig", ".env.example", ".gitattributes",
    ".github", ".gitignore", ".shellcheckrc", ".swift-format", "CHANGELOG.md", "CONTRIBUTING.md",
    "Dockerfile", "Examples", "LICENSE", "Package.resolved", "Package.swift", "README.md",
    "SECURITY.md", "Sources", "Tests", "clients", "deploy", "docker-compose.yml", "docs",
    "scripts", "sql",
}
# Folders with which a path in backquotes begins.
FOLDERS = ("Examples/", "Sources/", "Tests/", "clients/", "deploy/", "docs/", "scripts/", "sql/")
# Documents about files of other repositories, whose names are examples.
EXAMPLES = {"docs/migrations.md", "Sources/Base/Migrations/Migrations.docc/First-Migration.md"}
LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^()\s]+(?:\([^()]*\))?[^()\s]*)\)")
NAME = re.compile(r"[A-Za-z0-9_+*-]+(?:/[A-Za-z0-9_+*-]+)*\.(?:swift|sql|py)")

problems = []
counts = {"links": 0, "paths": 0, "modules": 0, "blocks": 0}


def tracked():
    """Files that git tracks or would add, with the folders above them."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True, capture_output=True, text=True).stdout.split("\0")
    return {name for name in names if name and pathlib.Path(name).exists()}


FILES = tracked()
PATHS = FILES | {str(folder) for name in FILES for folder in pathlib.Path(name).parents}


@functools.cache
def anchors(path):
    return anchors_in(pathlib.Path(path).read_text(encoding="utf-8"))


def check_links(document, text):
    plain = re.sub(r"`[^`\n]*`", lambda code: " " * len(code.group()), text)
    for match in LINK.finditer(plain):
        target = match.group(1).strip("<>")
        if re.match(r"[a-z][a-z0-9+.-]*:", target): continue
        counts["links"] += 1
        where = f"{document}:{text.count(chr(10), 0, match.start()) + 1}"
        name, _, anchor = target.partition("#")
        path = document
        if name:
            path = str(pathlib.PurePosixPath(document).parent / name)
            path = str(pathlib.Path(path).resolve().relative_to(pathlib.Path.cwd()))
        if path not in PATHS:
            problems.append(f"{where}: there is no {path}")
        elif anchor and path.endswith(".md") and anchor not in anchors(path):
            problems.append(f"{where}: {path} has no heading #{anchor}")


def check_names(document, text):
    if document in EXAMPLES: return
    for number, line in enumerate(text.split("\n"), 1):
        for code in re.findall(r"`([^`]+)`", line):
            for word in re.split(r"[\s,;=:]+", code):
                word = word.rstrip("./")
                if word.startswith(FOLDERS):
                    exists = word in PATHS or fnmatch.filter(PATHS, word)
                elif NAME.fullmatch(word):
                    exists = word in PATHS or fnmatch.filter(FILES, f"*/{word}")
                else:
                    continue
                counts["paths"] += 1
                if not exists and "..." not in word and "NAME" not in word:
                    problems.append(f"{document}:{number}: there is no {word}")


def check_blocks(document, text):
    """Shell blocks can be parsed by bash, JSON blocks by a JSON parser."""
    pattern = r"(?ms)^( *)```(sh|json)\n(.*?)^\1```$"
    for match in re.finditer(pattern, text):
        indent, language, block = match.groups()
        where = f"{document}:{text.count(chr(10), 0, match.start()) + 1}"
        block = re.sub(f"(?m)^{indent}", "", block)
        counts["blocks"] += 1
        if language == "sh":
            parsed = subprocess.run(["bash", "-n"], input=block, capture_output=True, text=True)
            if parsed.returncode != 0 or parsed.stderr:
                problems.append(f"{where}: bash can't parse the block: {parsed.stderr.strip()}")
        else:
            try:
                json.loads(block)
            except ValueError as error:
                problems.append(f"{where}: the block is not JSON: {error}")


def check_modules():
    parts = (name.split("/") for name in FILES if name.startswith("Sources/"))
    declared = {part[2] for part in parts if len(part) > 3}
    document = pathlib.Path("docs/architecture.md").read_text(encoding="utf-8")
    section = document.split("\n## Modules\n")[1].split("\n## ")[0]
    picture = re.sub(r"\([^)]*\)|Sources/\w+", "", section.split("```")[1])
    tables = set(re.findall(r"(?m)^\| `([A-Za-z0-9-]+)` \|", section))
    counts["modules"] = len(declared)
    for name in sorted(declared ^ set(picture.split())):
        problems.append(f"docs/architecture.md: its picture and Sources differ: {name}")
    # The text, not the tables, names the client and the C libraries.
    described = {name for name in declared if not re.match(r"C[A-Z]", name)} - {"HearthClient"}
    for name in sorted(described ^ tables):
        problems.append(f"docs/architecture.md: its tables and Sources differ: {name}")


def check_decisions():
    index = pathlib.Path("docs/decisions/README.md").read_text(encoding="utf-8")
    for name in sorted(FILES):
        if not re.match(r"docs/decisions/\d", name): continue
        text = pathlib.Path(name).read_text(encoding="utf-8")
        for part in ("Context", "Decision", "Consequences", "Measured"):
            if f"\n## {part}\n" not in text: problems.append(f"{name}: has no part '{part}'")
        if len(text.split()) > 600: problems.append(f"{name}: has more than 600 words")
        if f"]({name.split('/')[-1]})" not in index: problems.append(f"{name}: is not in README.md")


def check_menu():
    """The menu of the site lists each page of docs; site.py adds the decisions."""
    menu = pathlib.Path("scripts/docs.d/menu.yml").read_text(encoding="utf-8")
    listed = set(re.findall(r"(?m)^ *- (\S+\.md)$", menu))
    for name in sorted(FILES):
        page = name.removeprefix("docs/")
        if (name.startswith("docs/") and name.endswith(".md") and page not in listed
                and not re.match(r"decisions/\d", page)):
            problems.append(f"{name}: is not in scripts/docs.d/menu.yml")


def check_first_change():
    """The example's sentence is in each file in which its author sees a changed line."""
    text = pathlib.Path("CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.split("\n## A first change\n")[1].split("\n## ")[0]
    sentence = re.search(r' instead of "([^"]+)"', section)[1]
    commit = section.split("**Commit**")[1].split("\n\n")[0]
    named = {word for word in re.findall(r"`([^`\s]+)`", commit) if word.startswith(FOLDERS)}
    found = set(subprocess.run(
        ["git", "grep", "-lI", "--untracked", "--fixed-strings", "-e", sentence, "--", ".",
         ":!CONTRIBUTING.md"], capture_output=True, text=True).stdout.split("\n")) - {""}
    for name in sorted(named - found):
        problems.append(f"CONTRIBUTING.md: {name} does not contain '{sentence}'")
    for name in sorted(found - named):
        problems.append(f"CONTRIBUTING.md: a first change also changes {name}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1])
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    for document in sorted(name for name in FILES if name.endswith(".md")):
        text = pathlib.Path(document).read_text(encoding="utf-8")
        check_blocks(document, text)
        text = without_code(text)
        check_links(document, text)
        check_names(document, text)
    check_modules()
    check_decisions()
    check_menu()
    check_first_change()
    for name in sorted({path.split("/")[0] for path in FILES} - ROOT):
        problems.append(f"{name}: not among the files that belong into the root of the repository")
    for problem in problems: print(problem)
    if options.list: print(", ".join(f"{number} {what}" for what, number in counts.items()))
    return 1 if problems else 0


sys.exit(main())
