"""The anchors of the headings in a Markdown file, as GitHub makes them."""

import re
import unicodedata


def anchor_of(heading):
    """The anchor of a heading that has no links, unless an earlier one has the same text."""
    return "".join(
        "-" if letter == " " else letter for letter in heading.lower()
        if letter in " -_" or unicodedata.category(letter)[0] in "LN")


def anchors_in(text):
    """The anchors of all headings of a text."""
    found, seen = set(), {}
    for line in without_code(text).split("\n"):
        heading = re.match(r"#{1,6} +(.*?) *#*$", line)
        if not heading: continue
        anchor = anchor_of(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1)))
        number = seen.get(anchor, 0)
        seen[anchor] = number + 1
        found.add(f"{anchor}-{number}" if number else anchor)
    return found


def without_code(text):
    """The text with blank lines in place of fenced blocks, so that line numbers stay."""
    lines, fence = [], None
    for line in text.split("\n"):
        mark = re.match(r" *(```+|~~~+)", line)
        if fence is None and mark:
            fence = mark.group(1)
            lines.append("")
        elif fence is not None:
            if line.strip().startswith(fence): fence = None
            lines.append("")
        else:
            lines.append(line)
    return "\n".join(lines)
