"""Tests touched.py, scripts/pin-images and scripts/note-release in small repositories.

usage: tools.py

Needs no build: a script that notes how it is called stands in for Swift. Prints the faults and
exits with 1 if there are any.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import images

ROOT = pathlib.Path.cwd()
IDENTITY = ["-c", "user.name=Test", "-c", "user.email=test@example.org",
            "-c", "commit.gpgsign=false", "-c", "tag.gpgsign=false"]
MEMBERS = "CREATE OR REPLACE FUNCTION app.list_members() AS $$ 1 $$;\n"
GUESTS = "CREATE OR REPLACE FUNCTION app.list_guests() AS $$ 1 $$;\n"
SOURCES = {
    "Tests/SchemaTests/MemberTests.swift": "struct MemberTests { let sql = \"list_members()\" }\n",
    "Tests/SchemaTests/FamilyTests.swift": "struct FamilyTests { let sql = \"app.families\" }\n",
    "Tests/SchemaTests/RouteTests.swift": "struct RouteTests { let routes = Routes() }\n",
    "Sources/Family/API/Routes.swift": "struct Routes {}\n",
    "Sources/Family/Repositories/Members.swift": "struct Members {}\n",
    "sql/functions/members.sql": MEMBERS + GUESTS,
    "sql/migrations/0001_families.sql": "CREATE TABLE app.families (id uuid);\n",
}
SCHEMA = {"AgreementTests/catalogue", "AutovacuumTests", "FamilyRoutingTests",
          "FunctionIsolationTests", "LastReleaseTests", "RelationIsolationTests", "ShapeTests",
          "StatementsTests"}

problems = []


def expect(found, expected, words):
    if found != expected: problems.append(f"{words}: expected {expected}, found {found}")


# Without the variables by which git tells its hooks a repository: they would name this one.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


def git(folder, *words):
    subprocess.run(["git", "-C", folder, *IDENTITY, *words], check=True, capture_output=True,
                   env=ENVIRONMENT)


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def commit(folder, files):
    write(folder, files)
    git(folder, "add", "--all")
    git(folder, "commit", "-qm", "A commit")


def run(folder, *command, **environment):
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True,
                           env=ENVIRONMENT | environment)
    return ended.returncode, ended.stdout, ended.stderr


def try_touched(folder):
    def touched(where, *words):
        return run(where, sys.executable, str(ROOT / "scripts/test.d/touched.py"), *words)

    def after(files, expected, words):
        write(folder, files)
        code, out, err = touched(folder)
        expect((code, set(out.split()), err), (0, expected, ""), words)
        git(folder, "restore", ".")
        git(folder, "clean", "-qfd")

    git(folder, "init", "-q")
    commit(folder, SOURCES)
    after({"sql/functions/members.sql": MEMBERS.replace("1", "2") + GUESTS},
          SCHEMA | {"MemberTests"}, "a changed function")
    after({"sql/migrations/0002_names.sql": "ALTER TABLE app.families ADD name text;\n"},
          SCHEMA | {"FamilyTests"}, "a new migration")
    after({"Sources/Family/Repositories/Members.swift": "struct Members { let a = 1 }\n"},
          {"FamilyRoutingTests", "LastReleaseTests", "StatementsTests"}, "a changed statement")
    after({"Sources/Family/API/Routes.swift": "struct Routes { let a = 1 }\n"}, {"RouteTests"},
          "a changed type")
    after({"README.md": "Changed\n"}, set(), "a changed document")
    commit(folder, {"Tests/SchemaTests/RouteTests.swift": "struct RouteTests {}\n"})
    expect(touched(folder), (0, "RouteTests\n", ""), "no change after a commit")
    expect(touched(folder, "nothing"), (66, "", "quick finds no commit 'nothing'\n"),
           "an unknown commit")
    shallow = folder.with_name("shallow")
    git(folder, "clone", "-q", "--depth", "1", f"file://{folder}", str(shallow))
    words = "quick needs the parent commit: git fetch --unshallow\n"
    expect(touched(shallow), (66, "", words), "a shallow clone")


def try_images(folder):
    program = [sys.executable, str(ROOT / "scripts/test.d/images.py")]
    for name in [*images.places(), str(images.LIST)]:
        write(folder, {name: (ROOT / name).read_text(encoding="utf-8")})
    expect(run(folder, *program, "--check"), (0, "", ""), "the images of this commit")
    listed = (folder / images.LIST).read_text(encoding="utf-8")
    pinned = re.sub(r"(?m)^([\w-]+ +[^@\n]+)(@.*)?$", rf"\1@sha256:{'7' * 64}", listed)
    write(folder, {str(images.LIST): pinned})
    expect(run(folder, *program, "--check")[0], 1, "other images")
    expect(run(folder, *program), (0, "", ""), "writing images")
    expect(run(folder, *program, "--check"), (0, "", ""), "the written images")
    for name, forms in images.places().items():
        text = (folder / name).read_text(encoding="utf-8")
        expect(text.count(f"@sha256:{'7' * 64}") >= len(forms), True, f"digests in {name}")


def try_note_release(folder):
    files = ["Sources/Family/FamilySettings/HearthVersion.swift", "docs/openapi.json",
             "docs/clients.md", "clients/typescript/package.json", "CHANGELOG.md", "README.md",
             "deploy/kubernetes/kustomization.yaml", "scripts/note-release", "scripts/lib.sh",
             "scripts/test.d/versions.py"]
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    write(folder, {"bin/swift": "#!/bin/sh\necho \"noted $HEARTH_NOTE_RELEASE\"\n"})
    (folder / "bin/swift").chmod(0o755)
    path = f"{folder}/bin:{os.environ['PATH']}"

    def note(recorded, date):
        log = re.sub(r"(?m)^(## \[.*\] - ).*$", rf"\g<1>{date}", changes, count=1)
        record = f'{{"release": "{recorded}"}}'
        write(folder, {"CHANGELOG.md": log, "sql/last-release.json": record})
        return run(folder, "scripts/note-release", PATH=path)[:2]

    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    version = re.search(r"(?m)^## \[(.*)\] - ", changes)[1]
    git(folder, "init", "-q")
    commit(folder, {})
    done = (0, f"noted {version}\n")
    expect(note(version, "Unreleased"), done, "the record of a version without a tag")
    expect(note("0.0.1", "2030-01-31"), done, "the record of a release that is prepared")
    expect(note("0.0.1", "Unreleased"), (65, ""), "the record of the version before")
    git(folder, "tag", f"v{version}")
    expect(note(version, "2030-01-31"), (65, ""), "the record of a version with a tag")


def main():
    for attempt in (try_touched, try_images, try_note_release):
        with tempfile.TemporaryDirectory() as folder:
            own = pathlib.Path(folder).resolve() / "repository"
            own.mkdir()
            attempt(own)
    for problem in problems: print(problem)
    return 1 if problems else 0


sys.exit(main())
