"""Finds doc comments, test names and commit subjects that are hard to read (docs/glossary.md).

usage: plain_words.py [--list] [--most-docs N] [--most-tests N] [PATH...]

  --list           print every finding; otherwise only kinds with more than is allowed
  --most-docs N    doc comments that may begin as fragments (15)
  --most-tests N   test names that may begin as fragments (40)
  PATH...          only these files and folders; default: Sources and Tests

A doc comment begins with a noun phrase that says what the value is, or with a verb in the third
person that says what the function does. A test's name states subject, condition and outcome by
itself, in at most 100 characters. A commit's subject is imperative and has at most 72 characters;
those since the last tag are looked at, as far as the clone has them. Exits with 1 where there is
more than is allowed.
"""

import argparse
import pathlib
import re
import subprocess
import sys

# The first words of fragments, and what to write instead.
DOC_OPENINGS = {
    "What|Which": "name the thing: 'Text that ...', 'Reason for ...'",
    "Who|Whom|Whoever|Somebody|Nobody|Everybody": "name the person: 'Account that ...'",
    "Whose": "name the owner: 'Account that owns ...'",
    "How|How many|How long": "name the quantity: 'Number of ...', 'Duration of ...'",
    "Why": "'Reason why ...'",
    "Where|When": "name it: 'Location of ...', 'Time at which ...'",
    "Those|These|The same|The one|One that|One whose|Ones": "name the thing again",
    "Of|To|By|In|With|Without|For|From|At|As|Under|Until|Since": "begin with the noun it belongs to",
    "It|They|There": "begin with a verb: 'Returns ...', or with the noun",
    "Something|Nothing|Not|No|None|Neither": "say what it is, not what it is not",
    "Has|Is|Are|May|Can|Must": "'If true, ...' or 'Whether ...'",
    "And|Or|But|Also|So|Then|Only|Even": "begin with the noun or the verb",
}
TEST_OPENINGS = {
    "that|who|whom|whose|whoever|what|which|where|when|whatever": "name the subject",
    "of|to|by|in|with|without|for|from|at|as|until|under|while|after|before": "begin with the subject",
    "is|are|was|were|has|have|does|do|may|can|must|goes|go|gets|get": "begin with the subject",
    "it|they|those|these|one|ones|one's|the same|its|their": "name the subject",
    "and|or|but|nor|also|so|too|not|neither|only|never": "begin with the subject",
    "tell|tells|keep|keeps|names|takes|gives|lets|begins|holds|reads|waits|ends|end|say|stays|"
    "refuse|refuses|finds|leaves|brings|turns|pauses|listens|rise|stand|lose|hold|drops|leads|"
    "works|switches|returns|include|survive|survives|need|agrees|builds|binds|notices|serves|hands|"
    "give|prepares|hears|show|wake|lists|make|store|allow|ask|comes|tries|puts|ticks|walks|notes|"
    "knows|doubles|stops|replaces|lends": "begin with the subject",
}
# Subjects of commits: a verb in the third person or the past is no imperative.
SUBJECT_LENGTH = 72
NAME_LENGTH = 100


def pattern(openings):
    words = "|".join(openings)
    return re.compile(rf"(?:{words})\b(?!-)", re.UNICODE)


def advice(openings, opening):
    for words, advised in openings.items():
        if re.match(rf"(?:{words})\b", opening): return advised
    return ""


def swift_files(paths):
    for path in map(pathlib.Path, paths):
        if path.is_file():
            yield path
        else:
            yield from sorted(path.rglob("*.swift"))


def doc_comments(path):
    """The first line of each doc comment, with its number."""
    before = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        stripped = line.strip()
        if stripped.startswith("///") and not before.startswith("///"):
            yield number, stripped[3:].strip()
        before = stripped


def test_names(path):
    text = path.read_text(encoding="utf-8")
    for match in re.finditer(r'@Test\(\s*"((?:[^"\\]|\\.)*)"', text):
        yield text.count("\n", 0, match.start(1)) + 1, match.group(1)


def commit_subjects():
    tag = subprocess.run(
        ["git", "describe", "--tags", "--abbrev=0"], capture_output=True, text=True)
    if tag.returncode != 0: return []
    log = subprocess.run(
        ["git", "log", "--no-merges", "--format=%h %s", f"{tag.stdout.strip()}.."],
        capture_output=True, text=True, check=True)
    return [line.split(" ", 1) for line in log.stdout.splitlines()]


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1])
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--most-docs", type=int, default=15)
    parser.add_argument("--most-tests", type=int, default=40)
    parser.add_argument("paths", nargs="*", default=["Sources", "Tests"])
    options = parser.parse_args()
    docs, tests, lengths, subjects = [], [], [], []
    fragment, bare = pattern(DOC_OPENINGS), pattern(TEST_OPENINGS)
    for path in swift_files(options.paths):
        for number, text in doc_comments(path):
            if fragment.match(text):
                docs.append((f"{path}:{number}", text, advice(DOC_OPENINGS, text)))
        for number, name in test_names(path):
            if bare.match(name):
                tests.append((f"{path}:{number}", name, advice(TEST_OPENINGS, name)))
            if len(name) > NAME_LENGTH:
                lengths.append((f"{path}:{number}", name, f"at most {NAME_LENGTH} characters"))
    for commit, subject in commit_subjects():
        first = subject.split(" ", 1)[0]
        if len(subject) > SUBJECT_LENGTH:
            subjects.append((commit, subject, f"at most {SUBJECT_LENGTH} characters"))
        elif re.fullmatch(r"[A-Z][a-z]+(?:ed|ing)", first) or first in ("The", "A", "An", "What"):
            subjects.append((commit, subject, "imperative: 'Fix', 'Add', 'Return'"))
    code = 0
    for kind, found, most in (
        ("doc comments that begin as fragments", docs, options.most_docs),
        ("test names that begin as fragments", tests, options.most_tests),
        ("test names that are too long", lengths, 0),
        ("commit subjects", subjects, 0),
    ):
        if options.list or len(found) > most:
            for place, text, advised in found: print(f"{place}: {text}\n    {advised}")
        print(f"{kind}: {len(found)} (at most {most})")
        if len(found) > most: code = 1
    return code


sys.exit(main())
