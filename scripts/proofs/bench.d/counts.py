"""Prints the instructions and allocations of a read, and the functions with most of them.

Fails if a read costs more than the limits below, which are the cost when they were last set plus a
twentieth. Lower the limits when reads become cheaper.

usage: counts.py FILE READS      FILE is the output of callgrind
"""
import collections
import re
import sys

ASKING = ("malloc", "calloc", "realloc")

MOST_INSTRUCTIONS = 208_000
MOST_REQUESTS_FOR_MEMORY = 45


def main() -> None:
    path, reads = sys.argv[1], int(sys.argv[2])
    names: dict[str, str] = {}
    calls: collections.Counter[tuple[str, str]] = collections.Counter()
    caller = called = ""
    instructions = 0
    with open(path, errors="replace") as file:
        for line in file:
            if found := re.match(r"(c?fn)=\((\d+)\)(?: (.*))?$", line.rstrip("\n")):
                kind, number, name = found.groups()
                if name:
                    names[number] = name
                if kind == "fn":
                    caller = number
                else:
                    called = number
            elif found := re.match(r"calls=(\d+)", line):
                calls[caller, called] += int(found[1])
            elif found := re.match(r"(?:summary|totals): (\d+)", line):
                instructions = max(instructions, int(found[1]))
    asked: collections.Counter[str] = collections.Counter()
    for (caller, called), count in calls.items():
        if names.get(called) in ASKING:
            asked[names.get(caller, "?")] += count
    print(f"reads                       {reads:12,}")
    print(f"instructions a read         {instructions / reads:12,.0f}")
    print(f"requests for memory a read  {sum(asked.values()) / reads:12.1f}")
    for name, count in asked.most_common(8):
        print(f"  {count / reads:6.2f}  {name[:80]}")
    too_much = [
        f"{found:,.1f} {what}, not {most:,} at most"
        for found, most, what in (
            (instructions / reads, MOST_INSTRUCTIONS, "instructions a read"),
            (sum(asked.values()) / reads, MOST_REQUESTS_FOR_MEMORY, "requests for memory a read"),
        )
        if found > most
    ]
    if too_much:
        raise SystemExit("; ".join(too_much))


main()
