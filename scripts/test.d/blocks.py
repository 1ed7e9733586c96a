"""Converts a drawing in half blocks to an image: PGM on standard output, 8 pixels per module."""

import sys

SIZE = 8
# Upper and lower half of each character: 1 is dark.
HALVES = {" ": (0, 0), "\u2580": (1, 0), "\u2584": (0, 1), "\u2588": (1, 1)}


def main():
    lines = sys.stdin.read().splitlines()
    width = max(len(line) for line in lines)
    rows = []
    for line in lines:
        for half in (0, 1):
            rows.append([HALVES[char][half] for char in line.ljust(width)])
    print(f"P2\n{width * SIZE} {len(rows) * SIZE}\n255")
    for row in rows:
        pixels = " ".join("0" if dark else "255" for dark in row for _ in range(SIZE))
        for _ in range(SIZE):
            print(pixels)


main()
