"""Prints the test suites that a change affects, one per line.

usage: touched.py [COMMIT]

The change is the difference of the working tree and COMMIT (default: HEAD, or its parent if the tree
has no changes). It affects the suites of changed test files, and suites that name a changed type or
SQL function. Names in more than MOST test files are ignored, because they select too many suites.
"""

import pathlib
import re
import subprocess
import sys

MOST = 12
TYPE = re.compile(r"^(?:@\w+ |package |public |final |indirect )*"
                  r"(?:struct|class|enum|actor|protocol|extension) ([A-Z]\w*)", re.M)
FUNCTION = re.compile(r"^CREATE OR REPLACE (?:FUNCTION|VIEW) (?:app|api|jobs|gateway)\.(\w+)", re.M)


def git(*words):
    return subprocess.run(["git", *words], check=True, capture_output=True, text=True).stdout


def before(commit, path):
    """The text of a file in a commit; empty if it is not there."""
    shown = subprocess.run(["git", "show", f"{commit}:{path}"], capture_output=True, text=True)
    return shown.stdout if shown.returncode == 0 else ""


def changed_functions(old, new):
    """The names of the functions and views whose text differs."""
    def parts(text):
        starts = list(FUNCTION.finditer(text)) + [None]
        return {
            start.group(1): text[start.start():following.start() if following else None]
            for start, following in zip(starts, starts[1:])
        }
    old, new = parts(old), parts(new)
    return {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}


def main():
    is_clean = not git("status", "--porcelain").strip()
    commit = sys.argv[1] if len(sys.argv) > 1 else ("HEAD~1" if is_clean else "HEAD")
    changed = set(git("diff", "--name-only", commit).split())
    changed |= set(git("ls-files", "--others", "--exclude-standard").split())
    tests = {path: path.read_text() for path in pathlib.Path("Tests").rglob("*Tests/**/*.swift")}
    suites, names = set(), set()
    for path in map(pathlib.Path, sorted(changed)):
        if path in tests:
            suites |= set(TYPE.findall(tests[path]))
        elif path.suffix == ".swift" and path.parts[0] == "Sources" and path.exists():
            names |= set(TYPE.findall(path.read_text()))
        elif path.suffix == ".sql" and path.parts[:2] == ("sql", "functions"):
            new = path.read_text() if path.exists() else ""
            names |= changed_functions(before(commit, path), new)
    for name in sorted(names):
        having = [text for text in tests.values() if re.search(rf"\b{name}\b", text)]
        if len(having) <= MOST:
            for text in having:
                suites |= set(TYPE.findall(text))
    print("\n".join(sorted(name for name in suites if name.endswith("Tests"))))


main()
