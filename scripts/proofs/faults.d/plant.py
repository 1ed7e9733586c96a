"""Plants faults of scripts/proofs/faults.d into a copy of the sources.

usage: plant.py list FILE...          prints each fault's place in its file, its suite and its name
       plant.py plant FILE PLACE COPY  plants the fault at this place of a file

Exits with 1 if the lines to be replaced are not exactly once in the file, so that a change of the
sources can't turn a fault into none.
"""
import pathlib
import sys


def faults(path: str) -> list[dict]:
    found = []
    for block in pathlib.Path(path).read_text(encoding="utf-8").split("\n\n"):
        lines = [line for line in block.splitlines() if not line.startswith("#")]
        if not lines:
            continue
        before = [line[1:] for line in lines if line.startswith("-")]
        after = [line[1:] for line in lines if line.startswith("+")]
        rest = [line for line in lines if line[:1] not in "-+"]
        if len(rest) != 3 or not before:
            sys.exit(f"{path}: expected a name, a file, lines with - and +, and a suite:\n{block}")
        found.append({"name": rest[0], "file": rest[1], "suite": rest[2],
                      "before": "\n".join(before), "after": "\n".join(after)})
    return found


def plant(fault: dict, copy: str) -> None:
    file = pathlib.Path(copy, fault["file"])
    text = file.read_text(encoding="utf-8")
    lines = "\n" + text
    count = lines.count("\n" + fault["before"] + "\n")
    if count != 1:
        sys.exit(f"{fault['name']}: the lines are {count} times in {fault['file']}, expected once")
    changed = lines.replace("\n" + fault["before"] + "\n", "\n" + fault["after"] + "\n")
    file.write_text(changed[1:], encoding="utf-8")


def main() -> None:
    if sys.argv[1] == "list":
        for path in sys.argv[2:]:
            for place, fault in enumerate(faults(path)):
                print(path, place, fault["suite"], fault["file"], fault["name"], sep="\t")
    else:
        plant(faults(sys.argv[2])[int(sys.argv[3])], sys.argv[4])


main()
