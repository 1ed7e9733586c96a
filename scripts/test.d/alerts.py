"""Checks the alerts, the dashboard and their documentation.

usage: alerts.py [API-METRICS WORKER-METRICS CONSOLE-METRICS]

Without files: each alert has a severity, texts, tests of both outcomes and a section in
docs/operations.md, and promtool accepts rules, tests, configuration and the dashboard's queries. If
promtool is not installed, its checks are left out.

With the metrics of a running API and a running worker: each metric, label and value in a query of the
alerts and the dashboard is served, and docs/operations.md lists all metrics that are served.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

from headings import anchors_in

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROMETHEUS = ROOT / "deploy" / "prometheus"
DASHBOARD = ROOT / "deploy" / "grafana" / "hearth.json"
GUIDE = ROOT / "docs" / "operations.md"
JOBS = ["hearth-api", "hearth-worker", "hearth-console"]
# Made by Prometheus itself.
OWN = {"up": {"job", "instance"}, "ALERTS": {"alertname", "alertstate", "severity"}}
TARGET = {"job", "instance"}
KEYWORDS = {"and", "or", "unless", "bool", "offset", "by", "without", "on", "ignoring"}

STRING = r'"(?:[^"\\]|\\.)*"'
SELECTOR = re.compile(rf"(?<![\w.])([a-zA-Z_:][\w:]*)(\{{(?:[^{{}}\"]|{STRING})*\}})?(\s*\()?")
MATCHER = re.compile(rf"(\w+)\s*(=~|!~|!=|=)\s*({STRING})")
GROUPING = re.compile(r"\b(?:by|without|on|ignoring)\s*\(([^)]*)\)")

faults = []


def fault(where, words):
    faults.append(f"{where}: {words}")


class Query:
    """An expression of PromQL: its selectors and the labels by which it groups."""

    def __init__(self, text):
        self.groups = [
            {name.strip() for name in found.split(",") if name.strip()}
            for found in GROUPING.findall(text)]
        bare = re.sub(r"\[[^\]]*\]", "", GROUPING.sub("", text))
        self.selectors = [
            (name, [(label, sign, json.loads(value)) for label, sign, value in MATCHER.findall(braces)])
            for name, braces, call in SELECTOR.findall(bare)
            if not call and name not in KEYWORDS]

    @property
    def metrics(self):
        return [name for name, _ in self.selectors]


def alerts():
    for group in yaml.safe_load((PROMETHEUS / "alerts.yml").read_text())["groups"]:
        yield from group["rules"]


def panels():
    """The dashboard's panels that show queries."""
    return [panel for panel in json.loads(DASHBOARD.read_text())["panels"] if panel["type"] != "row"]


def queries():
    """Every query, with the place where it is and the labels that its texts use."""
    for rule in alerts():
        texts = " ".join(rule["annotations"].values())
        yield rule["alert"], rule["expr"], set(re.findall(r"\$labels\.(\w+)", texts))
    for panel in panels():
        for target in panel["targets"]:
            labels = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
            yield f"panel '{panel['title']}'", target["expr"], labels


def check_texts():
    known, seen = anchors_in(GUIDE.read_text()), set()
    for rule in alerts():
        name, notes = rule["alert"], rule["annotations"]
        if name in seen:
            fault(name, "there are two alerts of this name")
        seen.add(name)
        if rule["labels"]["severity"] not in ("critical", "warning"):
            fault(name, "the severity must be critical or warning")
        for text in ("summary", "description", "runbook_url"):
            if not notes.get(text):
                fault(name, f"{text} is missing")
        page, _, anchor = notes.get("runbook_url", "").partition("#")
        if not page.endswith("/docs/operations.md") or anchor != name.lower():
            fault(name, f"runbook_url must end with /docs/operations.md#{name.lower()}")
        if anchor not in known:
            fault(name, f"docs/operations.md has no section '{name}'")
    sections = re.findall(r"^#+ (Hearth[A-Z]\w+)$", GUIDE.read_text(), re.M)
    for name in sorted(set(sections) - seen):
        fault("docs/operations.md", f"there is no alert '{name}'")


def check_tests():
    outcomes = {}
    for test in yaml.safe_load((PROMETHEUS / "alerts.test.yml").read_text())["tests"]:
        for check in test["promql_expr_test"]:
            name = re.search(r'alertname="(\w+)"', check["expr"]).group(1)
            outcomes.setdefault(name, set()).add(bool(check["exp_samples"]))
    for rule in alerts():
        for fires in {True, False} - outcomes.get(rule["alert"], set()):
            fault(rule["alert"], f"no test in which it {'fires' if fires else 'does not fire'}")


def check_dashboard():
    ids = [panel["id"] for panel in json.loads(DASHBOARD.read_text())["panels"]]
    if len(ids) != len(set(ids)):
        fault("hearth.json", "two panels have the same id")
    for panel in panels():
        for target in panel["targets"]:
            if target["datasource"]["uid"] != "${datasource}":
                fault(f"panel '{panel['title']}'", "the data source must be the variable")


def promtool(*words):
    done = subprocess.run(["promtool", *words], capture_output=True, text=True)
    if done.returncode != 0:
        fault(f"promtool {words[0]} {words[1]}", (done.stdout + done.stderr).strip())


def check_with_promtool():
    if not shutil.which("promtool"):
        print("left out: there is no promtool")
        return
    # The configuration names the rules, so this checks them too.
    promtool("check", "config", str(PROMETHEUS / "prometheus.yml"))
    promtool("test", "rules", str(PROMETHEUS / "alerts.test.yml"))
    rules = [
        {"record": f"panel:{index}", "expr": expression.replace("$__rate_interval", "5m")}
        for index, (_, expression, _) in enumerate(queries())]
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
        json.dump({"groups": [{"name": "queries", "rules": rules}]}, file)
        file.flush()
        promtool("check", "rules", "--lint=none", file.name)


def served(paths):
    """The series of running programs: the labels of each, by metric; and the metrics' own names."""
    series, names = {}, set()
    for job, path in zip(JOBS, paths):
        for line in pathlib.Path(path).read_text().splitlines():
            if line.startswith("# TYPE "):
                names.add(line.split()[2])
            found = re.match(rf"([a-zA-Z_:][\w:]*)(?:\{{((?:[^\"}}]|{STRING})*)\}})? ", line)
            if found and not line.startswith("#"):
                labels = {
                    name: json.loads(value)
                    for name, value in re.findall(rf"(\w+)=({STRING})", found.group(2) or "")}
                series.setdefault(found.group(1), []).append(
                    labels | {"job": job, "instance": "localhost:1"})
    return series, names


def matches(labels, matchers):
    for name, sign, value in matchers:
        found = labels.get(name, "")
        is_equal = bool(re.fullmatch(value, found)) if "~" in sign else found == value
        if is_equal == sign.startswith("!"):
            return False
    return True


def check_selectors(series):
    values = {}
    for all_labels in series.values():
        for labels in all_labels:
            for name, value in labels.items():
                values.setdefault(name, set()).add(value)
    for where, expression, used in queries():
        query, labels = Query(expression), set()
        for metric, matchers in query.selectors:
            if metric in OWN:
                labels |= OWN[metric]
                continue
            if metric not in series:
                fault(where, f"no program serves '{metric}'")
                continue
            labels |= {name for one in series[metric] for name in one}
            if not any(matches(one, matchers) for one in series[metric]):
                fault(where, f"no series of '{metric}' has these labels: {matchers}")
            # A misspelt value would match nothing, or exclude nothing.
            for name, sign, value in matchers:
                for one in value.split("|") if "~" in sign else [value]:
                    if not any(re.fullmatch(one, known) for known in values.get(name, ())):
                        fault(where, f"no metric has {name}=\"{one}\"")
        for group in query.groups:
            for name in sorted(group - labels):
                fault(where, f"its metrics have no label '{name}'")
        shown = set().union(*query.groups) if query.groups else labels
        for name in sorted(used - shown):
            fault(where, f"its text uses the label '{name}', which the result does not have")


def check_guide(names):
    listed = set(re.findall(r"`(hearth_\w+?)(?:\{[^`]*\})?`", GUIDE.read_text()))
    for name in sorted(name for name in names if name.startswith("hearth_")):
        if name not in listed:
            fault("docs/operations.md", f"the metric '{name}' is not listed")
    table = GUIDE.read_text().split("\n## Metrics\n")[1].split("\n## ")[0]
    for name in sorted(set(re.findall(r"`(hearth_\w+)", table)) - names):
        fault("docs/operations.md", f"no program serves the metric '{name}'")


def main():
    if sys.argv[1:]:
        series, names = served(sys.argv[1:])
        check_selectors(series)
        check_guide(names)
    else:
        check_texts()
        check_tests()
        check_dashboard()
        check_with_promtool()
    for words in faults:
        print(words)
    sys.exit(1 if faults else 0)


main()
