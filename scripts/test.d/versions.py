"""Checks that all files name the same version of Hearth, and prints it.

usage: versions.py [--released]

  --released   also require that the newest entry of CHANGELOG.md has a date

Compares HearthVersion.swift, the newest entry of CHANGELOG.md, docs/openapi.json, the package of the
TypeScript client, the image of deploy/kubernetes, the version that docs/clients.md requires of the
Swift package, and the archive that README.md names. Prints each difference and exits with 1 if there
is one.
"""

import json
import pathlib
import re
import sys

VERSION = r"[0-9]+\.[0-9]+\.[0-9]+"
SWIFT = "Sources/Family/FamilySettings/HearthVersion.swift"
KUBERNETES = "deploy/kubernetes/kustomization.yaml"


def text_of(name):
    return pathlib.Path(name).read_text(encoding="utf-8")


def newest_entry():
    """The heading of the newest entry of CHANGELOG.md: its version, and its date or 'Unreleased'."""
    entry = re.search(r"(?m)^## (.*)$", text_of("CHANGELOG.md"))
    parsed = entry and re.fullmatch(
        rf"\[({VERSION})\] - ([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}|Unreleased)", entry[1])
    if not parsed:
        found = entry[1] if entry else "no heading"
        sys.exit(f"CHANGELOG.md: expected '## [1.2.3] - YYYY-MM-DD' or '## [1.2.3] - Unreleased', "
                 f"found '{found}'")
    return parsed.groups()


def main():
    if sys.argv[1:] not in ([], ["--released"]): sys.exit(__doc__)
    declared = re.search(rf'static let current = "({VERSION})"', text_of(SWIFT))
    if not declared: sys.exit(f"{SWIFT}: declares no version")
    expected = declared[1]
    logged, date = newest_entry()
    versions = [
        ("CHANGELOG.md", logged),
        ("docs/openapi.json", json.loads(text_of("docs/openapi.json"))["info"]["version"]),
        ("clients/typescript/package.json",
         json.loads(text_of("clients/typescript/package.json"))["version"]),
    ]
    if pathlib.Path(KUBERNETES).exists():
        tags = re.findall(r"(?m)^ *newTag: *(\S+)$", text_of(KUBERNETES))
        versions += [(KUBERNETES, tag) for tag in tags or ["no version"]]
    problems = [f"{name}: has version {found}, {SWIFT} has {expected}"
                for name, found in versions if found != expected]
    # Apps that ask for the first release of a major version get its newest one.
    requirement = f'from: "{expected.split(".")[0]}.0.0"'
    named = re.findall(r'\.package\(url: "[^"]*hearth\.git", ([^)]*)\)', text_of("docs/clients.md"))
    problems += [f"docs/clients.md: requires {found} of the package, expected {requirement}"
                 for found in named or ["nothing"] if found != requirement]
    archives = re.findall(rf"hearth-({VERSION})-linux", text_of("README.md"))
    problems += [f"README.md: names an archive of {found or 'no version'}, expected {expected}"
                 for found in archives or [""] if found != expected]
    if sys.argv[1:] and date == "Unreleased":
        problems.append(f"CHANGELOG.md: {logged} is unreleased; write the date of the release")
    for problem in problems: print(problem, file=sys.stderr)
    print(expected)
    return 1 if problems else 0


sys.exit(main())
