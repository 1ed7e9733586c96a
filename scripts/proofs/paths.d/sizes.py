"""Counts a source tree: files that mention standbys, lines, files and types.

usage: sizes.py [--list] NAME=TREE...
"""
import pathlib
import re
import sys

TYPE = re.compile(
    r"^( *)(?:(?:package|public|private|fileprivate|final|indirect|@\w+) )*"
    r"(?:actor|class|enum|protocol|struct) [A-Z]", re.MULTILINE)
# Written by scripts/update-schema: a list of the names of SQL files.
GENERATED = "RepeatableFiles+List.swift"


def texts(folder: pathlib.Path, ending: str) -> dict[pathlib.Path, str]:
    return {file: file.read_text() for file in sorted(folder.rglob(f"*{ending}"))}


def lines(files: dict[pathlib.Path, str]) -> int:
    return sum(text.count("\n") for text in files.values())


def standbys(tree: pathlib.Path) -> list[str]:
    """Files in Sources that mention standbys."""
    return [str(file.relative_to(tree)) for file, text in texts(tree / "Sources", ".swift").items()
            if "standby" in text.lower() and file.name != GENERATED]


def sizes(tree: pathlib.Path) -> dict[str, int]:
    sources = texts(tree / "Sources", ".swift")
    tests = texts(tree / "Tests", ".swift")
    functions = texts(tree / "sql/functions", ".sql")
    family = [match[1] for text in texts(tree / "Sources/Family", ".swift").values()
              for match in TYPE.finditer(text)]
    speaking = standbys(tree)
    return {
        "files that speak of standbys, Sources": len(speaking),
        "  of these in Sources/Family": sum(name.startswith("Sources/Family/") for name in speaking),
        "Swift files, Sources": len(sources),
        "lines, Sources": lines(sources),
        "lines, sql/functions": lines(functions),
        "lines, sql/migrations": lines(texts(tree / "sql/migrations", ".sql")),
        "lines, Tests": lines(tests),
        "types, Sources/Family": len(family),
        "  of these not nested": family.count(""),
    }


def main() -> None:
    words = [word.partition("=") for word in sys.argv[1:] if word != "--list"]
    trees = {name: pathlib.Path(tree) for name, _, tree in words}
    counts = {name: sizes(tree) for name, tree in trees.items()}
    print(f"{'':<40}" + "".join(f"{name:>14}" for name in counts))
    for what in next(iter(counts.values())):
        print(f"{what:<40}" + "".join(f"{count[what]:>14,}" for count in counts.values()))
    if "--list" in sys.argv:
        for name, tree in trees.items():
            print(f"\n{name}: files of Sources that speak of standbys")
            for file in standbys(tree):
                print(f"  {file}")


main()
