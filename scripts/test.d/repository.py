"""Validates the files that editors, containers and the hosting service read.

usage: repository.py

Runs in an environment with the packages of repository.txt. Checks workflows and issue forms against
their published schemas, and workflows with zizmor for unsafe steps; the Compose files with
Compose itself, without starting anything; that all files name the images of deploy/images.txt; that
the nightly workflow runs every proof; that the Dockerfile copies the folders of all targets; that
.devcontainer names a stage of the Dockerfile; that each pattern of .gitattributes matches a file;
and that all files keep the rules of .editorconfig.
Prints the faults and exits with 1 if there are any.
"""

import json
import pathlib
import re
import subprocess
import sys

import editorconfig
import jsonschema
import ruamel.yaml
from check_jsonschema.builtin_schemas import get_builtin_schema

import images

TEMPLATES = ".github/ISSUE_TEMPLATE"
COMPOSE_FILES = ["docker-compose.yml", "deploy/compose/docker-compose.yml"]
SCHEMAS = [
    ("vendor.github-workflows", sorted(pathlib.Path(".github/workflows").glob("*.yml"))),
    ("custom.github-workflows-require-timeout",
     sorted(pathlib.Path(".github/workflows").glob("*.yml"))),
    ("vendor.github-issue-config", [pathlib.Path(TEMPLATES, "config.yml")]),
    ("vendor.github-issue-forms",
     [path for path in sorted(pathlib.Path(TEMPLATES).glob("*.yml")) if path.stem != "config"]),
    ("vendor.compose-spec", [pathlib.Path(name) for name in COMPOSE_FILES]),
]

problems = []


def files():
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True, capture_output=True, text=True).stdout.split("\0")
    return [name for name in names if name and pathlib.Path(name).is_file()]


def check_schemas():
    yaml = ruamel.yaml.YAML(typ="safe")
    for name, paths in SCHEMAS:
        schema = get_builtin_schema(name)
        validator = jsonschema.validators.validator_for(schema)(schema)
        for path in paths:
            document = yaml.load(path.read_text(encoding="utf-8"))
            # YAML 1.1 calls the key "on" true.
            if True in document: document["on"] = document.pop(True)
            for error in validator.iter_errors(document):
                problems.append(f"{path}: {'.'.join(map(str, error.path))}: {error.message[:300]}")


def check_by(what, *command):
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode != 0: problems.append(f"{what}:\n{ended.stdout}{ended.stderr}")


def check_images():
    problems.extend(images.update(writes=False))
    # Where scripts/pin-images does not write.
    for path in sorted(pathlib.Path(".github/workflows").glob("*.yml")):
        for image in re.findall(r"(?m)^ *container: *(\S+)$", path.read_text(encoding="utf-8")):
            problems.append(f"{path}: write 'image: {image}' below 'container:'")


def check_nightly():
    """The nightly workflow runs each proof of scripts/proofs/README.md; benchmarks prove nothing."""
    table = pathlib.Path("scripts/proofs/README.md").read_text(encoding="utf-8")
    names = set(re.findall(r"(?m)^\| `([a-z ]+)` \|", table))
    proofs = {name for name in names if name != "paths" and not name.startswith("bench ")}
    workflow = pathlib.Path(".github/workflows/nightly.yml").read_text(encoding="utf-8")
    runs = re.findall(r"(?m)^ {10}- (\S.*)$", workflow.split("\n        proof:\n")[1])
    for name in sorted(proofs ^ {entry.split(" --")[0] for entry in runs}):
        problems.append(f".github/workflows/nightly.yml and scripts/proofs/README.md differ: {name}")


def check_devcontainer():
    container = json.loads(pathlib.Path(".devcontainer/devcontainer.json").read_text())
    build = container["build"]
    dockerfile = pathlib.Path(".devcontainer", build["dockerfile"])
    stages = re.findall(r"(?m)^FROM \S+ AS (\S+)$", dockerfile.read_text(encoding="utf-8"))
    if build["target"] not in stages:
        problems.append(f".devcontainer: the Dockerfile has no stage {build['target']}")
    script = container["postCreateCommand"].split()[0]
    if not pathlib.Path(script).is_file(): problems.append(f".devcontainer: there is no {script}")


def check_dockerfile():
    """SwiftPM loads no package with a target whose folder is missing, even if it is not built."""
    named = {path.split("/")[0] for path in
             re.findall(r'path: "([^"]+)"', pathlib.Path("Package.swift").read_text())}
    copied = set(re.findall(r"(?m)^COPY (\S+) \1$", pathlib.Path("Dockerfile").read_text()))
    for folder in sorted((named | {"Sources"}) - copied):
        problems.append(f"Dockerfile: does not copy {folder}, which Package.swift names")


def check_attributes():
    for line in pathlib.Path(".gitattributes").read_text(encoding="utf-8").split("\n"):
        pattern = line.split(" ")[0]
        if not pattern or pattern.startswith("#") or pattern == "*": continue
        found = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--",
             f":(glob){pattern}"], check=True, capture_output=True, text=True).stdout
        if not found: problems.append(f".gitattributes: no file matches {pattern}")


def check_rules(names):
    rules_of = {}
    for name in names:
        path = pathlib.Path(name)
        # Files of one folder with one suffix have the same rules.
        kind = (path.parent, path.suffix or path.name)
        rules = rules_of.get(kind)
        if rules is None:
            rules = rules_of[kind] = editorconfig.get_properties(str(path.resolve()))
        content = path.read_bytes()
        faults = []
        if rules.get("insert_final_newline") == "true" and content and content[-1:] != b"\n":
            faults.append("no newline at the end")
        if rules.get("end_of_line") == "lf" and b"\r" in content:
            faults.append("a carriage return")
        if rules.get("trim_trailing_whitespace") == "true" and re.search(
                rb"(?m)[ \t]$", content):
            faults.append("blanks at the end of a line")
        if rules.get("indent_style") == "space" and re.search(rb"(?m)^\t", content):
            faults.append("a tab at the beginning of a line")
        if rules.get("charset") == "utf-8":
            try:
                content.decode("utf-8")
            except UnicodeDecodeError:
                faults.append("bytes that are not UTF-8")
        problems.extend(f"{name}: {fault} (.editorconfig)" for fault in faults)


def main():
    tools = pathlib.Path(sys.executable).parent
    check_schemas()
    check_by("workflows", str(tools / "zizmor"), "--offline", "--no-progress", ".github")
    for name in COMPOSE_FILES:
        check_by(name, str(tools / "docker-compose"), "--file", name, "--env-file", ".env.example",
                 "config", "--quiet")
    check_images()
    check_nightly()
    check_devcontainer()
    check_dockerfile()
    check_attributes()
    check_rules(files())
    for problem in problems: print(problem)
    return 1 if problems else 0


sys.exit(main())
