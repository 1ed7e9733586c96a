"""Draws what the database and the code declare: docs/pictures and docs/schema.md.

usage: pictures.py [--check]

  --check   write nothing; exit with 1 if a file is missing or was made from something else

The states of memberships, invitations and jobs come from the constraints in sql/schema.sql. Their
transitions are listed below, each with the functions that make it; every function that stores a
state must be listed, and no other. The tables and their foreign keys come from sql/schema.sql, the
stages of a request from RequestStages.swift. Graphviz ('dot') draws the pictures; --check does not
need it, because each picture holds a checksum of its source.
"""

import hashlib
import pathlib
import re
import subprocess
import sys
import textwrap

SCHEMA = pathlib.Path("sql/schema.sql").read_text(encoding="utf-8")
STAGES = pathlib.Path("Sources/Family/API/Stages/RequestStages.swift")
PICTURES = pathlib.Path("docs/pictures")
FONT = 'fontname="Helvetica,Arial,sans-serif"'
BEGIN = ""

problems = []


class Machine:
    """States of a column, and their transitions.

    transitions: (from, to, words, functions). A state's name is that of the column, or TABLE for a
    table to which rows move. BEGIN is the time before the row exists.
    """

    def __init__(self, name, title, table, constraint, column, default, tables, transitions):
        self.name, self.title, self.table, self.column = name, title, table, column
        self.default, self.tables, self.transitions = default, tables, transitions
        self.constraint = constraint

    def states(self):
        found = re.search(rf"CONSTRAINT {self.constraint} CHECK \((.*)\)", SCHEMA)
        return re.findall(r"'(\w+)'", found.group(1)) + list(self.tables)

    def check(self):
        states, writers = self.states(), self.writers()
        listed = {}
        for origin, target, _, functions in self.transitions:
            for state in (origin, target):
                if state != BEGIN and state not in states:
                    problems.append(f"{self.name}: there is no state {state}")
            listed.setdefault(target, set()).update(functions)
        for state in states:
            for function in sorted(writers.get(state, set()) ^ listed.get(state, set())):
                stores = "stores" if function in writers.get(state, set()) else "does not store"
                problems.append(f"{self.name}: {function} {stores} the state {state};"
                                " correct the transitions in scripts/docs.d/pictures.py")

    def writers(self):
        """The functions that store each state."""
        found = {}
        for name, body in FUNCTIONS.items():
            if not any(table in body for table in (self.table, *self.tables.values())): continue
            for statement in body.split(";"):
                for state in self.stored_by(statement):
                    found.setdefault(state, set()).add(name)
        return found

    def stored_by(self, statement):
        literals = rf"'({'|'.join(map(re.escape, self.states()))})'"
        stored = set()
        for state, table in self.tables.items():
            if re.search(rf"INSERT INTO {re.escape(table)}\b", statement): stored.add(state)
        for match in re.finditer(rf"(UPDATE|INSERT INTO) {re.escape(self.table)}\b", statement):
            rest = statement[match.end():]
            if match.group(1) == "UPDATE":
                changes = re.split(r"\b(?:WHERE|FROM)\b", rest)[0]
            else:
                rest, _, changes = rest.partition("ON CONFLICT")
                columns = re.search(r"\(([^)]*)\)", rest)
                if columns and re.search(rf"\b{self.column}\b", columns.group(1)):
                    stored.update(re.findall(literals, rest))
                else:
                    stored.add(self.default)
            value = re.search(rf"\b{self.column} = (CASE.*?END|[^,]*)", changes, re.S)
            if value is None: continue
            if value.group(1).startswith("CASE"):
                stored.update(re.findall(rf"(?:THEN|ELSE) {literals}", value.group(1)))
            else:
                stored.update(re.findall(literals, value.group(1)))
        return stored

    def dot(self):
        lines = [
            f"digraph {self.name} {{", f'  graph [bgcolor="white", pad=0.2, nodesep=0.6, {FONT}]',
            f'  node [shape=box, style="rounded,filled", fillcolor="#eef2ff", color="#3b4a8f", {FONT}]',
            f'  edge [color="#555555", fontsize=11, {FONT}]',
            '  "" [shape=circle, label="", width=0.15, style=filled, fillcolor="#222222"]',
        ]
        ends = set(self.states()) - {origin for origin, *_ in self.transitions}
        for state in self.states():
            bold = ', fillcolor="#f3f3f3", color="#777777"' if state in ends else ""
            lines.append(f'  "{state}" [label="{state}"{bold}]')
        words = {}
        for origin, target, label, _ in self.transitions:
            words.setdefault((origin, target), []).append(label)
        for (origin, target), labels in words.items():
            if len(labels) > 1:
                labels = ["• " + label.replace("\\l", "\\l   ") for label in labels]
            text = "\\l".join(labels) + "\\l"
            lines.append(f'  "{origin}" -> "{target}" [label="{text}"]')
        return "\n".join(lines + ["}"])


def functions():
    """The text of each function, without comments; functions of one name together."""
    found = {}
    for match in re.finditer(
            r"^CREATE FUNCTION (\w+\.\w+)\((.*?)^ALTER FUNCTION", SCHEMA, re.M | re.S):
        body = re.sub(r"--[^\n]*", "", match.group(2))
        found[match.group(1)] = found.get(match.group(1), "") + ";" + body
    return found


FUNCTIONS = functions()

MACHINES = [
    Machine(
        "membership", "States of a membership", "app.family_members",
        "family_members_status_known", "status", "active", {}, [
            (BEGIN, "active", "creates the family", {"app.insert_family", "gateway.insert_member"}),
            (BEGIN, "active", "joins by the code", {"app.join_or_wait_by_code"}),
            (BEGIN, "active", "accepts an invitation", {"app.store_invited_membership"}),
            (BEGIN, "active", "is added: a child, or by an operator",
             {"app.insert_child", "app.operator_add_member"}),
            (BEGIN, "invited", "joins by the code;\\lthe family requires approval",
             {"app.join_or_wait_by_code"}),
            ("invited", "active", "is approved", {"app.approve_member"}),
            ("invited", "active", "accepts an invitation", {"app.store_invited_membership"}),
            ("invited", "removed", "withdraws, or is rejected", {"app.end_membership"}),
            ("invited", "removed", "the last member has left", {"app.end_join_requests"}),
            # A repair gives an active member another slot by removing it for a moment.
            ("active", "removed", "leaves, is removed,\\lor erases the account",
             {"app.end_membership", "app.repair_slot"}),
            ("active", "removed", "a player who lives alone\\ljoins another family",
             {"app.leave_own_family"}),
            ("removed", "active", "returns by the code, an invitation\\lor an operator",
             {"app.join_or_wait_by_code", "app.store_invited_membership",
              "app.operator_add_member", "app.repair_slot"}),
            ("removed", "invited", "asks again by the code", {"app.join_or_wait_by_code"}),
        ]),
    Machine(
        "invitation", "States of an invitation", "app.family_invitations",
        "family_invitations_status_known", "status", "pending", {}, [
            (BEGIN, "pending", "is sent", {"app.make_invitation", "app.issue_graduation"}),
            ("pending", "accepted", "is accepted", {"app.join_by_invitation", "app.graduate"}),
            ("pending", "declined", "is declined", {"app.decline_invitation"}),
            # All of these, but those of an erased account, end by the same function.
            ("pending", "revoked", "is revoked", {"app.end_invitations"}),
            ("pending", "revoked", "the inviter leaves, or may not invite any more",
             {"app.end_invitations"}),
            ("pending", "revoked", "an API key's: the key is revoked,\\lor the last member leaves",
             {"app.end_invitations"}),
            ("pending", "revoked", "the inviter or the invited person\\lerases the account",
             {"app.erase_invitations_of"}),
            ("pending", "revoked", "a child's: its primary guardian changes,\\lor its membership ends",
             {"app.end_invitations"}),
            ("pending", "expired", "its time is over",
             {"app.expire_invitations", "app.make_invitation", "app.issue_graduation",
              "app.repair_fault"}),
        ]),
    Machine(
        "job", "States of a job", "jobs.live", "live_state_known", "state", "ready",
        {"dead": "jobs.dead", "history": "jobs.history"}, [
            (BEGIN, "ready", "is enqueued", {"jobs.enqueue"}),
            ("ready", "running", "is claimed", {"jobs.claim"}),
            ("running", "ready", "fails: retry after a pause", {"jobs.finish"}),
            ("running", "ready", "is released; the worker stops", {"jobs.release_lease"}),
            ("running", "ready", "a webhook delivery has to wait", {"app.postpone_webhook"}),
            ("running", "ready", "the worker loses its lease",
             {"jobs.end_lease", "jobs.take_over_lease"}),
            ("running", "dead", "fails for good, or for the 20th time;\\lthe third crash",
             {"jobs.discard"}),
            ("running", "history", "is done", {"jobs.complete"}),
            ("running", "history", "is too late, or not needed any more", {"jobs.finish"}),
            ("ready", "history", "is cancelled", {"jobs.cancel"}),
            ("dead", "ready", "is retried by an operator", {"jobs.retry"}),
            ("dead", "history", "is cancelled", {"app.operator_cancel_job"}),
        ]),
]


class Table:
    def __init__(self, name):
        self.name, self.comment, self.references = name, "", {}

    @property
    def short(self):
        return self.name.removeprefix("app.")


def tables():
    """The tables by the subjects of the migrations that create them, partitions excluded."""
    partitions = set(re.findall(
        r"(?m)^ALTER TABLE ONLY \S+ ATTACH PARTITION (\S+)", SCHEMA))
    found = {
        name: Table(name)
        for name in re.findall(r"(?m)^CREATE (?:UNLOGGED )?TABLE (\w+\.\w+)", SCHEMA)
        if name not in partitions
    }
    for name, comment in re.findall(r"(?m)^COMMENT ON TABLE (\S+) IS '((?:[^']|'')*)';", SCHEMA):
        if name in found: found[name].comment = comment.replace("''", "'")
    for name, columns, target in re.findall(
            r"ALTER TABLE ONLY (\S+)\n    ADD CONSTRAINT \w+ FOREIGN KEY \(([^)]*)\) REFERENCES ([\w.]+)",
            SCHEMA):
        found[name].references.setdefault(target, []).append(columns)
    subjects = {}
    for path in sorted(pathlib.Path("sql/migrations").glob("[0-9]*.sql")):
        created = re.findall(
            r"(?m)^CREATE (?:UNLOGGED )?TABLE (\w+\.\w+)", path.read_text(encoding="utf-8"))
        members = [found[name] for name in created if name in found]
        if members: subjects[path] = members
    missing = set(found) - {table.name for members in subjects.values() for table in members}
    for name in sorted(missing): problems.append(f"no migration creates the table {name}")
    return subjects


def title_of(path):
    words = path.stem.split("_", 1)[1].replace("_", " ")
    return re.sub(r"\bApi\b", "API", words[0].upper() + words[1:])


def tables_dot(subjects):
    lines = [
        "digraph tables {",
        f'  graph [bgcolor="white", pad=0.2, rankdir=RL, ranksep=1.1, nodesep=0.12, {FONT}]',
        f'  node [shape=box, style=filled, fillcolor="#eef2ff", color="#3b4a8f", fontsize=11,'
        f' height=0.28, {FONT}]',
        f'  edge [color="#555555", arrowsize=0.7, {FONT}]',
    ]
    linked = {
        name for members in subjects.values() for table in members if table.references
        for name in [table.name, *table.references]}
    for number, (path, members) in enumerate(subjects.items()):
        drawn = [table for table in members if table.name in linked]
        if not drawn: continue
        lines.append(f"  subgraph cluster_{number} {{")
        lines.append(f'    label="{title_of(path)}"; color="#cccccc"; fontsize=12; fontcolor="#555555";')
        lines.extend(f'    "{table.name}" [label="{table.short}"]' for table in drawn)
        lines.append("  }")
    for members in subjects.values():
        for table in members:
            for target, columns in table.references.items():
                tip = f"{table.name} ({'; '.join(columns)})"
                lines.append(f'  "{table.name}" -> "{target}" [tooltip="{tip}"]')
    return "\n".join(lines + ["}"])


def schema_page(subjects):
    count = sum(len(members) for members in subjects.values())
    lines = [
        "# Tables", "",
        f"The {count} tables, by the migrations that create them. `scripts/docs --pictures` makes this"
        " page from `sql/schema.sql`, which has every column, constraint and function."
        " [where.md](where.md#tables-and-sql) explains how to add a column or a table.", "",
        "An arrow is a foreign key and leads from the table that has it to the table that it refers"
        " to. Tables without foreign keys are only in the lists below.", "",
        "![The tables and their foreign keys](pictures/tables.svg)",
    ]
    for path, members in subjects.items():
        lines += ["", f"## {title_of(path)}", "", f"`{path}`", "",
                  "| table | content | refers to |", "|---|---|---|"]
        for table in members:
            targets = ", ".join(f"`{target.removeprefix('app.')}`" for target in table.references)
            lines.append(f"| `{table.short}` | {table.comment.rstrip('.')} | {targets} |")
    return "\n".join(lines) + "\n"


def stages():
    """The names of the stages in their order: arrival, admission, effect, departure."""
    text = STAGES.read_text(encoding="utf-8")
    found = {}
    for group in ("arrival", "admission", "effect", "departure"):
        body = re.search(rf"(?m)^        {group} = \[\n(.*?)^        \]", text, re.S | re.M).group(1)
        found[group] = [
            (stage[0].upper() + stage[1:] if stage != "scope" else "ListenerScope", name)
            for name, stage in re.findall(r"^            (?:\((?:\[\]|\.(\w+)), )?(\w+)", body, re.M)]
    return found


def words_of(name):
    """The name of a stage in words."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name).split(" ")
    return " ".join([words[0]] + [word if word.isupper() else word.lower() for word in words[1:]])


def request_dot():
    groups = stages()
    if not all(groups.values()): problems.append(f"{STAGES}: the stages are not where they were")
    titles = {
        "arrival": "Arrival: which endpoint?",
        "admission": "Admission: does it accept the request, and for whom?",
        "effect": "Around the operation, the outermost first",
        "departure": "Departure: from the reply to the response",
    }
    lines = [
        "digraph request {",
        f'  graph [bgcolor="white", pad=0.2, ranksep=0.25, {FONT}]',
        f'  node [shape=box, style="rounded,filled", fontsize=12, height=0.3, {FONT}]',
        '  edge [color="#555555"]',
    ]
    boxes = {
        "client": ("client", ""),
        "server": ("HTTP server\\na thread reads the request", "#eef2ff"),
        **{group: (titles[group], names) for group, names in groups.items()},
        "operation": ("Operation\\nreads its inputs, calls the use case", "#fff4dd"),
        "decision": ("Use case\\ndecides by the policy", "#fff4dd"),
        "database": ("PostgreSQL\\none transaction: who is the caller, then the statements;\\n"
                     "functions, views and row-level security decide again", "#e7f5e9"),
        "response": ("response", ""),
    }
    order = ["client", "server", "arrival", "admission", "effect", "operation", "decision",
             "database", "departure", "response"]
    for name in order:
        title, content = boxes[name]
        if isinstance(content, list):
            rows = "".join(
                f'<tr><td align="left"><font point-size="12">{words_of(stage)}</font>'
                f'{"<i> *</i>" if only else ""}</td></tr>' for stage, only in content)
            lines.append(
                f'  {name} [shape=plain, style="", label=<<table border="1" cellborder="0"'
                f' color="#3b4a8f" bgcolor="#eef2ff" style="rounded" cellpadding="2">'
                f'<tr><td align="left"><b>{title}</b></td></tr>{rows}</table>>]')
        elif content:
            lines.append(f'  {name} [label="{title}", fillcolor="{content}", color="#777777"]')
        else:
            lines.append(f'  {name} [label="{title}", shape=plaintext, style=""]')
    lines += [f"  {first} -> {second}" for first, second in zip(order, order[1:])]
    return "\n".join(lines + ["}"])


def drawn(dot, title):
    """The picture of a graph, with the checksum of its source."""
    made = subprocess.run(
        ["dot", "-Tsvg"], input=dot, check=True, capture_output=True, text=True).stdout
    made = re.sub(r"(?s)^.*?(?=<svg)", "", made)
    made = re.sub(r"<!--.*?-->\n?", "", made)
    made = re.sub(r"(?s)<title>[^<]*</title>\n?", "", made)
    made = made.replace("<svg ", '<svg role="img" ', 1)
    return re.sub(
        r"(<svg[^>]*>)", rf"\1\n<title>{title}</title>\n<!-- source: {checksum(dot)} -->", made, count=1)


def checksum(text):
    return hashlib.sha256(text.encode()).hexdigest()


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        print(textwrap.dedent(__doc__), file=sys.stderr)
        return 64
    is_checking = bool(sys.argv[1:])
    for machine in MACHINES: machine.check()
    subjects = tables()
    pictures = {machine.name: (machine.dot(), machine.title) for machine in MACHINES}
    pictures["tables"] = (tables_dot(subjects), "Tables and their foreign keys")
    pictures["request"] = (request_dot(), "The path of a request")
    page = pathlib.Path("docs/schema.md")
    stale = []
    if problems:
        pass
    elif is_checking:
        for name, (dot, _) in pictures.items():
            path = PICTURES / f"{name}.svg"
            if not path.exists() or checksum(dot) not in path.read_text(encoding="utf-8"):
                stale.append(path)
        if not page.exists() or page.read_text(encoding="utf-8") != schema_page(subjects):
            stale.append(page)
    else:
        PICTURES.mkdir(parents=True, exist_ok=True)
        for name, (dot, title) in pictures.items():
            (PICTURES / f"{name}.svg").write_text(drawn(dot, title), encoding="utf-8")
        page.write_text(schema_page(subjects), encoding="utf-8")
    for problem in problems: print(problem)
    for path in stale: print(f"{path} is stale: run scripts/docs --pictures")
    return 1 if problems or stale else 0


sys.exit(main())
