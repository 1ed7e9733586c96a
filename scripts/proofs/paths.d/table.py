"""Prints the files that count.py found, and the differences of the first and last revision.

usage: table.py [--list] FILE.json...      each named after its revision
"""
import json
import pathlib
import sys


def sql_files(count: dict) -> dict[str, list[str]]:
    """By file, the functions that were called and are defined there."""
    files: dict[str, list[str]] = {}
    for name, places in count["sql"].items():
        for place in places:
            files.setdefault(place, []).append(name)
    return dict(sorted(files.items()))


def show(count: dict) -> None:
    for file, functions in count["swift"].items():
        print(f"    {file}  ({len(functions)})")
    for file, functions in sql_files(count).items():
        print(f"    {file}  ({', '.join(functions)})")


def main() -> None:
    words = [word for word in sys.argv[1:] if word != "--list"]
    counts = {pathlib.Path(word).stem: json.loads(pathlib.Path(word).read_text()) for word in words}
    print(f"{'request':<28} {'revision':<14} {'Swift files':>11} {'functions':>9} {'SQL files':>9}"
          f" {'statements':>10} {'within':>6}")
    for request in next(iter(counts.values())):
        for revision, count in counts.items():
            of_request = count[request]
            functions = sum(len(names) for names in of_request["swift"].values())
            print(f"{request:<28} {revision:<14} {len(of_request['swift']):>11} {functions:>9} "
                  f"{len(sql_files(of_request)):>9} {of_request['statements'][0]:>10} "
                  f"{of_request['statements'][1]:>6}")
            if "--list" in sys.argv:
                show(of_request)
    if len(counts) > 1:
        first, *_, last = counts.values()
        for request in first:
            print(f"\n{request}: files by name, without folders")
            names = [{pathlib.Path(file).name for file in [*count[request]["swift"],
                                                           *sql_files(count[request])]}
                     for count in (first, last)]
            for sign, files in (("-", names[0] - names[1]), ("+", names[1] - names[0])):
                for name in sorted(files):
                    print(f"  {sign} {name}")


main()
