"""Validates deploy/kubernetes.

usage: kubernetes.py

Runs in an environment with the packages of repository.txt. Checks the objects against Kubernetes' own
published schemas, of the oldest and the newest supported release; those of CloudNativePG, which
publishes its schemas with its operator only, against the fields listed below. Also checks that
selectors, ports, secrets and settings fit each other and the programs. Prints the faults and exits
with 1 if there are any.
"""

import pathlib
import re
import sys

import kubernetes_validate
import yaml

FOLDER = pathlib.Path("deploy/kubernetes")
RELEASES = ["1.31", "1.37"]
# Fields of CloudNativePG's API v1, and of its Barman Cloud plugin, that the files may use.
KNOWN = {
    "Cluster": {
        "instances", "imageName", "enableSuperuserAccess", "bootstrap", "postgresql",
        "failoverDelay", "stopDelay", "switchoverDelay", "storage", "walStorage", "resources",
        "affinity", "plugins"},
    "Pooler": {"cluster", "type", "instances", "pgbouncer"},
    "ScheduledBackup": {
        "schedule", "immediate", "backupOwnerReference", "cluster", "method", "pluginConfiguration"},
    "ObjectStore": {"retentionPolicy", "configuration"},
}

problems = []


def expect(holds, words):
    if not holds: problems.append(words)


def check_schema(path, one):
    kind, version = one.get("kind"), one.get("apiVersion", "")
    name = f"{path.name}: {kind} {one.get('metadata', {}).get('name', '')}"
    if version == "kustomize.config.k8s.io/v1beta1": return
    if version in ("postgresql.cnpg.io/v1", "barmancloud.cnpg.io/v1"):
        unknown = set(one["spec"]) - KNOWN.get(kind, set())
        expect(kind in KNOWN and not unknown, f"{name}: unknown fields {sorted(unknown)}")
        return
    for release in RELEASES:
        try:
            kubernetes_validate.validate(one, release, strict=True)
        except kubernetes_validate.ValidationError as error:
            where = ".".join(map(str, error.path))
            problems.append(f"{name}, Kubernetes {release}: {where}: {error.message[:300]}")
        except kubernetes_validate.SchemaNotFoundError as error:
            problems.append(f"{name}: {error.message}")


def pods(objects):
    """The pod templates by name, with their containers."""
    for one in objects:
        if one["kind"] in ("Deployment", "Job"):
            spec = one["spec"]["template"]["spec"]
            yield one, spec, spec.get("initContainers", []) + spec["containers"]


def check_containers(objects, settings):
    for one, spec, containers in pods(objects):
        name = one["metadata"]["name"]
        expect(spec["securityContext"].get("runAsNonRoot") is True, f"{name} may run as root")
        expect(spec.get("automountServiceAccountToken") is False, f"{name} gets a token")
        volumes = {volume["name"] for volume in spec.get("volumes", [])}
        for container in containers:
            what = f"{name}: {container['name']}"
            context = container["securityContext"]
            expect(context.get("readOnlyRootFilesystem") is True, f"{what} can write to its image")
            expect(context.get("allowPrivilegeEscalation") is False, f"{what} can gain privileges")
            expect(context["capabilities"]["drop"] == ["ALL"], f"{what} has capabilities")
            expect("memory" in container["resources"].get("limits", {}), f"{what}: no limit")
            for mount in container.get("volumeMounts", []):
                expect(mount["name"] in volumes, f"{what}: there is no volume {mount['name']}")
            ports = {port.get("name") for port in container.get("ports", [])}
            for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
                if one["kind"] == "Deployment":
                    expect(probe in container, f"{what} has no {probe}")
                if probe in container:
                    port = container[probe]["httpGet"]["port"]
                    expect(port in ports, f"{what}: {probe}: there is no port {port}")
            for entry in container.get("env", []):
                check_setting(what, entry["name"], entry.get("value"), settings)


def check_setting(what, name, value, settings):
    if name.startswith("HEARTH_"):
        known = name in settings or name.removesuffix("_FILE") in settings
        expect(known, f"{what}: there is no setting {name}")
        secret = re.search(r"PASSWORD|SECRET|KEYS", name) and not name.endswith("_FILE")
        expect(not secret, f"{what}: {name} is a secret and must come from a file")
    else:
        expect(value is None, f"{what}: {name} must come from a secret")


def check_references(objects):
    labels = [one["spec"]["template"]["metadata"]["labels"] for one, _, _ in pods(objects)]
    names = {(one["kind"], one["metadata"]["name"]) for one in objects}

    def selects(selector):
        return any(selector.items() <= of.items() for of in labels)

    for one in objects:
        name, spec = f"{one['kind']} {one['metadata']['name']}", one.get("spec", {})
        if one["kind"] == "Service": expect(selects(spec["selector"]), f"{name} selects nothing")
        if one["kind"] == "PodDisruptionBudget":
            expect(selects(spec["selector"]["matchLabels"]), f"{name} selects nothing")
        if one["kind"] == "NetworkPolicy":
            chosen = spec["podSelector"].get("matchLabels", {})
            expect(selects(chosen), f"{name} selects nothing")
        if one["kind"] == "Deployment":
            template = spec["template"]["metadata"]["labels"]
            expect(spec["selector"]["matchLabels"].items() <= template.items(),
                   f"{name} does not select its own pods")
            budget = ("PodDisruptionBudget", one["metadata"]["name"])
            expect(budget in names, f"{name} has no PodDisruptionBudget")
            expect(spec["replicas"] >= 2, f"{name} has one pod")
    for _, _, containers in pods(objects):
        for container in containers:
            for source in container.get("envFrom", []):
                found = ("ConfigMap", source["configMapRef"]["name"])
                expect(found in names, f"{container['name']}: there is no {found}")
    for one in objects:
        if one["kind"] in ("Pooler", "ScheduledBackup"):
            cluster = ("Cluster", one["spec"]["cluster"]["name"])
            expect(cluster in names, f"{one['kind']}: no such Cluster")
        if one["kind"] == "Cluster": check_archive(one, names)


def check_archive(cluster, names):
    """Checks that the log is archived, and that a backup is made of this cluster."""
    archivers = [one for one in cluster["spec"].get("plugins", []) if one.get("isWALArchiver")]
    stores = [("ObjectStore", one["parameters"]["barmanObjectName"]) for one in archivers]
    expect(stores and set(stores) <= names, "Cluster: its log is archived nowhere")
    expect("ScheduledBackup" in {kind for kind, _ in names}, "Cluster: has no ScheduledBackup")


def main():
    settings = set(re.findall(r'"(HEARTH_[A-Z0-9_]+)"', "\n".join(
        path.read_text(encoding="utf-8") for path in pathlib.Path("Sources").rglob("*.swift"))))
    objects = []
    for path in sorted(FOLDER.glob("*.yaml")):
        for one in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            check_schema(path, one)
            if one["kind"] == "Kustomization":
                listed = set(one["resources"])
                present = {other.name for other in FOLDER.glob("*.yaml")} - {path.name}
                expect(listed == present, f"{path.name} lists {sorted(listed ^ present)} wrongly")
            else:
                objects.append(one)
    # The other checks rely on the forms that the schemas state.
    if not problems:
        check_containers(objects, settings)
        check_references(objects)
        for program in ("hearth-api", "hearth-console", "hearth-worker"):
            expect(any(one["metadata"]["name"] == program and one["kind"] == "Deployment"
                       for one in objects), f"{program} has no Deployment")
    for one in objects:
        if one["kind"] == "ConfigMap":
            for name, value in one["data"].items(): check_setting("settings", name, value, settings)
    for problem in problems: print(problem)
    return 1 if problems else 0


sys.exit(main())
