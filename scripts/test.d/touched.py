"""Prints the test suites that a change affects, one per line.

usage: touched.py [COMMIT]

The change is the difference of the working tree and COMMIT (default: HEAD, or its parent if the
tree has no changes). It affects the suites of changed test files, and suites that name a changed
type, SQL function, view or table. Names in more than MOST test files are ignored, because they
select too many suites. A change of SQL or of statements also affects the suites that compare all of
them with lists and programs. Exits with 66 if the commit is not in the clone.
"""

import pathlib
import re
import subprocess
import sys

MOST = 12
TYPE = re.compile(r"^(?:@\w+ |package |public |final |indirect )*"
                  r"(?:struct|class|enum|actor|protocol|extension) ([A-Z]\w*)", re.M)
OBJECT = re.compile(r"^(?:CREATE (?:OR REPLACE )?(?:FUNCTION|VIEW|TABLE)|ALTER TABLE) "
                    r"(?:app|api|jobs|gateway)\.(\w+)", re.M)
# Suites about all statements, and about the whole schema.
STATEMENTS = {"FamilyRoutingTests", "LastReleaseTests", "StatementsTests"}
SCHEMA = {"AgreementTests/catalogue", "AutovacuumTests", "FunctionIsolationTests",
          "RelationIsolationTests", "ShapeTests"}
OF_FOLDERS = {"sql/": SCHEMA | STATEMENTS, "Sources/Family/Repositories/": STATEMENTS,
              "Sources/Base/Jobs/": {"LastReleaseTests"},
              "Tests/AgreementTests/Relations/": {"AgreementTests/catalogue"}}


def git(*words):
    return subprocess.run(["git", *words], check=True, capture_output=True, text=True).stdout


def before(commit, path):
    """The text of a file in a commit; empty if it is not there."""
    shown = subprocess.run(["git", "show", f"{commit}:{path}"], capture_output=True, text=True)
    return shown.stdout if shown.returncode == 0 else ""


def changed_objects(old, new):
    """The names of the functions, views and tables whose text differs."""
    def parts(text):
        found, starts = {}, list(OBJECT.finditer(text)) + [None]
        for start, following in zip(starts, starts[1:]):
            part = text[start.start():following.start() if following else None]
            found[start.group(1)] = found.get(start.group(1), "") + part
        return found
    old, new = parts(old), parts(new)
    return {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}


def require(commit, words):
    """Exits with 66 and these words if the clone does not have the commit."""
    if subprocess.run(["git", "rev-parse", "-q", "--verify", f"{commit}^{{commit}}"],
                      capture_output=True).returncode == 0: return
    is_shallow = git("rev-parse", "--is-shallow-repository").strip() == "true"
    print(words + (": git fetch --unshallow" if is_shallow else ""), file=sys.stderr)
    sys.exit(66)


def main():
    is_clean = not git("status", "--porcelain").strip()
    if len(sys.argv) > 1:
        commit = sys.argv[1]
        require(commit, f"quick finds no commit '{commit}'")
    else:
        commit = "HEAD~1" if is_clean else "HEAD"
        require(commit, "quick needs the parent commit")
    changed = set(git("diff", "--name-only", commit).split())
    changed |= set(git("ls-files", "--others", "--exclude-standard").split())
    tests = {path: path.read_text() for path in pathlib.Path("Tests").rglob("*Tests/**/*.swift")}
    suites, names = set(), set()
    for path in map(pathlib.Path, sorted(changed)):
        for folder, affected in OF_FOLDERS.items():
            if str(path).startswith(folder): suites |= affected
        if path in tests:
            suites |= set(TYPE.findall(tests[path]))
        elif path.suffix == ".swift" and path.parts[0] == "Sources" and path.exists():
            names |= set(TYPE.findall(path.read_text()))
        elif path.suffix == ".sql" and str(path.parent) in ("sql/functions", "sql/migrations"):
            new = path.read_text() if path.exists() else ""
            names |= changed_objects(before(commit, path), new)
    for name in sorted(names):
        having = [text for text in tests.values() if re.search(rf"\b{name}\b", text)]
        if len(having) <= MOST:
            for text in having:
                suites |= set(TYPE.findall(text))
    print("\n".join(sorted(name for name in suites if re.search(r"Tests(?:/\w+)?$", name))))


main()
