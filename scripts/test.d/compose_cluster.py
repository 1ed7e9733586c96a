"""Compares deploy/compose with its templates, docker-compose.yml, the programs and the secrets.

usage: compose_cluster.py BIN_FOLDER SECRETS_FOLDER

scripts/make-secrets --cluster has created the secrets, as root. Checks what compose.py checks of
docker-compose.yml. Also fills in the templates as the containers do, and checks that each value is
there and used, that the results have their format (of HAProxy, by itself, where it is installed),
and that addresses, paths, users and names fit each other. Hearth's services must have the settings
that they have in docker-compose.yml, except for those of a cluster. Prints the faults and exits
with 1 if there are any.
"""

import configparser
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

import compose
from compose import expect, problems, resolved, tagged, user_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "deploy/compose"
FILE = FOLDER / "docker-compose.yml"
COMMAND = "docker compose --file deploy/compose/docker-compose.yml up"
ETCD = ["etcd-1", "etcd-2", "etcd-3"]
MEMBERS = ["postgres-1", "postgres-2", "postgres-3"]
HEARTH = {"api-1": "api", "api-2": "api", "worker-1": "worker", "worker-2": "worker",
          "migrate": "migrate", "admin": "admin", "console": "console"}
EXPECTED = {"secrets", "haproxy", "mail", *ETCD, *MEMBERS, *HEARTH}
# Settings that differ from docker-compose.yml: reads go to standbys, there is no PostgREST, and
# workers that share a network have ports of their own.
DIFFERENT = {"HEARTH_READ_DATABASE_URL_FILE", "HEARTH_POSTGREST_URL", "HEARTH_METRICS_LISTEN"}
# Variables of containers that are no values of templates, but settings of operators' commands.
FOR_COMMANDS = {"PATRONICTL_CONFIG_FILE", "PGBACKREST_CONFIG", "PGBACKREST_STANZA"}
# Values that are paths to which a container writes.
WRITTEN = {"DATA", "SOCKETS", "PGPASS", "REPOSITORY", "LOGS", "LOCKS", "ETCD_DATA_DIR"}


def fill_in_module():
    spec = importlib.util.spec_from_file_location("fill_in", FOLDER / "fill_in.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def group(name):
    """The services that differ only by a number have one user and one folder of secrets."""
    return re.sub(r"-\d$", "", name)


def mounts(service):
    """The source of each path in the container."""
    return {volume.split(":")[1]: volume.split(":")[0] for volume in service.get("volumes", [])}


def variables_of(service, secrets):
    return {
        name: re.sub("^/secrets/", f"{secrets}/", resolved(value)) if name.endswith("_FILE")
        else resolved(value)
        for name, value in service.get("environment", {}).items()
    }


def filled(name, service, secrets, fill):
    """The contents of the files that the container makes of its templates, by their path."""
    variables, found, used = variables_of(service, secrets), {}, set()
    for path, source in mounts(service).items():
        if not path.startswith(f"{fill.TEMPLATES}/"): continue
        text = (FOLDER / source).read_text(encoding="utf-8")
        for word in re.findall(r"\$\{(\w+)\}", text):
            used |= {word, word + "_FILE"}
            there = word in variables or word + "_FILE" in variables
            expect(there, f"{name}: {source} needs {word}")
            # A missing value is reported, here or by check_paths, and replaced.
            if not there or not os.path.isfile(variables.get(word + "_FILE", __file__)):
                variables.pop(word + "_FILE", None)
                variables[word] = "0"
        path = path.replace(str(fill.TEMPLATES), str(fill.FILLED), 1)
        found[path] = fill.fill_in(text, variables)
        expect(not re.search(r"\$\{\w*\}", re.sub(r"(?m)^\s*#.*", "", found[path])),
               f"{name}: {source} keeps a word in ${{}}")
    for variable in sorted(set(service.get("environment", {})) - used - FOR_COMMANDS):
        expect(variable.startswith(("HEARTH_", "ETCD_")),
               f"{name}: no template has the value {variable}")
    return found


def check_users(services, secrets):
    users = {}
    for name, service in services.items():
        other = users.setdefault(user_of(service), group(name))
        expect(other == group(name), f"{name} and {other} have the same user")
    for folder, _, files in os.walk(secrets):
        for path in [folder] + [os.path.join(folder, file) for file in files]:
            owner = users.get(os.stat(path).st_uid)
            part = path[len(secrets) + 1:].split("/")[0]
            expect(owner in (None, "secrets", part), f"{path} belongs to the service {owner}")


def check_written(name, service):
    """Checks that what is written is in a volume or in memory."""
    places = [path for path in mounts(service) if not path.startswith(("/secrets", "/templates"))]
    places += [entry.split(":")[0] for entry in service["tmpfs"]]
    for variable, path in service.get("environment", {}).items():
        if variable in WRITTEN:
            expect(any(path == place or path.startswith(place + "/") for place in places),
                   f"{name}: {variable}, {path}, is neither in a volume nor in memory")


def check_etcd(services, dockerfile):
    for name in ETCD:
        service, settings = services[name], variables_of(services[name], "")
        listed = dict(pair.split("=") for pair in settings["ETCD_INITIAL_CLUSTER"].split(","))
        expect(listed == {one: f"http://{one}:2380" for one in ETCD},
               f"{name}: ETCD_INITIAL_CLUSTER is {listed}")
        expect(settings["ETCD_NAME"] == name, f"{name}: its name is {settings['ETCD_NAME']}")
        expect(settings["ETCD_INITIAL_ADVERTISE_PEER_URLS"] == listed.get(name),
               f"{name}: others can't reach it by ETCD_INITIAL_ADVERTISE_PEER_URLS")
        expect(settings["ETCD_ADVERTISE_CLIENT_URLS"] == f"http://{name}:2379",
               f"{name}: clients can't reach it by ETCD_ADVERTISE_CLIENT_URLS")
        expect(service["networks"] == ["consensus"], f"{name}: its networks are not [consensus]")
        expect(mounts(service).get("/var/lib/hearth-etcd") == name, f"{name}: has no own volume")
        user = user_of(service)
        expect(f"-o {user} -g {user} /var/lib/hearth-etcd" in dockerfile,
               f"Dockerfile: /var/lib/hearth-etcd does not belong to {user}")


def merged(first, second):
    """One document of two, as Patroni merges its files."""
    if not isinstance(first, dict) or not isinstance(second, dict): return second
    return {key: merged(first[key], second[key]) if key in first and key in second
            else second.get(key, first.get(key)) for key in {**first, **second}}


def check_member(name, service, files, dockerfile):
    folder = service["command"][-1]
    document = {}
    for path in sorted(path for path in files if path.startswith(folder + "/")):
        document = merged(document, yaml.safe_load(files[path]))
    settings = service["environment"]
    expect(settings["PATRONICTL_CONFIG_FILE"] == folder, f"{name}: patronictl reads other settings")
    expect(document["name"] == name, f"{name}: its name in the cluster is {document['name']}")
    for part, port in (("postgresql", "5432"), ("restapi", "8008")):
        expect(document[part]["connect_address"] == f"{name}:{port}",
               f"{name}: {part} is at {document[part]['connect_address']}")
        expect(document[part]["listen"] == f"0.0.0.0:{port}",
               f"{name}: {part} listens at {document[part]['listen']}")
    expect(document["restapi"]["authentication"]["password"],
           f"{name}: its REST interface is open to changes")
    hosts = document["etcd3"]["hosts"].split(",")
    expect(hosts == [f"{one}:2379" for one in ETCD], f"{name}: its etcd are {hosts}")
    expect(set(service["networks"]) == {"consensus", "database"}, f"{name}: has other networks")
    expect(mounts(service).get("/var/lib/postgresql") == name, f"{name}: has no own volume")
    for path in (settings["REPOSITORY"], settings["LOGS"]):
        expect(path in dockerfile, f"Dockerfile: does not make {path}")

    backup = configparser.ConfigParser(interpolation=None)
    backup.read_string(files[settings["BACKUP_CONFIG"]])
    stanza = settings["PGBACKREST_STANZA"]
    expect(settings["PGBACKREST_CONFIG"] == settings["BACKUP_CONFIG"],
           f"{name}: pgbackrest reads other settings than the archive command")
    for part in (f"--config={settings['BACKUP_CONFIG']} ", f"--stanza={stanza} "):
        expect(part in document["postgresql"]["parameters"]["archive_command"],
               f"{name}: the archive command lacks {part}")
    expect(backup[stanza]["pg1-path"] == document["postgresql"]["data_dir"],
           f"{name}: backs up another folder than its data")
    expect(backup[stanza]["pg1-port"] == document["postgresql"]["listen"].split(":")[1],
           f"{name}: backs up another server")


def check_haproxy(service, files, secrets):
    text = "\n".join(files.values())
    for section in ("primary", "standbys"):
        lines = text.split(f"\nlisten {section}\n")[1].split("\nlisten ")[0]
        servers = re.findall(r"(?m)^ *server (\S+) (\S+) check port (\d+) .*resolvers (\w+)", lines)
        expect(servers == [(one, f"{one}:5432", "8008", "container") for one in MEMBERS],
               f"haproxy: the servers of {section} are {servers}")
    expect("\nresolvers container\n" in text, "haproxy: there are no resolvers")
    aliases = service["networks"]["database"]["aliases"]
    for url in pathlib.Path(secrets).rglob("*-url"):
        hosts = re.sub(r".*@(.*)/hearth$", r"\1", url.read_text(encoding="utf-8"))
        if url.name == "read-database-url":
            expect(hosts == ",".join(f"{one}:5432" for one in MEMBERS), f"{url}: names {hosts}")
        elif url.parent.name != "rest":
            expect(hosts in [f"{alias}:5432" for alias in aliases], f"{url}: names {hosts}")
    expect(service["environment"]["PRIMARY_ADDRESS"].endswith(":5432"),
           "haproxy: the primary is at another port than in the URLs")
    program = shutil.which("haproxy", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program:
        with tempfile.TemporaryDirectory() as folder:
            for path, content in files.items():
                pathlib.Path(folder, os.path.basename(path)).write_text(content, encoding="utf-8")
            ended = subprocess.run(
                [program, "-c", "-f", folder], capture_output=True, text=True)
            expect(ended.returncode == 0, f"haproxy: {ended.stdout}{ended.stderr}")


def check_hearth(services, single):
    """Checks that Hearth's services are those of docker-compose.yml."""
    for name, other in {**HEARTH, "mail": "mail", "secrets": "secrets"}.items():
        one, model = dict(services[name]), dict(single[other])
        for service in (one, model):
            service["environment"] = {
                key: value for key, value in service.get("environment", {}).items()
                if key not in DIFFERENT}
            for key in ("build", "depends_on", "ports"): service.pop(key, None)
            if name == "secrets": service.pop("command")
        for key in sorted(set(one) | set(model)):
            expect(one.get(key) == model.get(key),
                   f"{name}: {key} differs from {other} of docker-compose.yml")
    expect(services["secrets"]["command"] == single["secrets"]["command"] + ["--cluster"],
           "secrets: its command is not that of docker-compose.yml with --cluster")
    reads = "HEARTH_READ_DATABASE_URL_FILE"
    for name in ("api-1", "api-2"):
        expect(reads in services[name]["environment"], f"{name}: does not read from standbys")


def check_image(document, dockerfile):
    name, image = next(iter(document["x-cluster"]["build"]["args"].items()))
    expect(f"ARG {name}={resolved(image)}\n" in dockerfile, f"Dockerfile: {name} is not {image}")
    script = (ROOT / "scripts/install-dependencies").read_text(encoding="utf-8")
    packages = set(re.search(r"cluster_packages=\((.*)\)", script)[1].split()) - {"patroni"}
    words = set(dockerfile.replace("\\\n", " ").split())
    expect(packages <= words, f"Dockerfile: does not install {sorted(packages - words)}")
    for path in re.findall(r"(?m)^COPY (\S+) ", dockerfile):
        expect((ROOT / path).is_file(), f"Dockerfile: there is no {path}")
    expect("COPY scripts/cluster.d/patroni.txt " in dockerfile,
           "Dockerfile: does not install Patroni as scripts/cluster does")
    expect(os.access(FOLDER / "fill_in.py", os.X_OK), "fill_in.py can't be run")
    expect("STOPSIGNAL SIGTERM\n" in dockerfile, "Dockerfile: SIGINT does not stop Patroni")
    for service in document["services"].values():
        if "build" in service:
            build = service["build"]
            file = FOLDER / build["context"] / build.get("dockerfile", "Dockerfile")
            expect(file.is_file(), f"there is no {file}")


def check_variables(text):
    """Checks that .env.example has each variable, with the same default."""
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    listed = dict(re.findall(r"(?m)^#(HEARTH_\w+)=(.*)$", example))
    for name in sorted(set(re.findall(r"(?<!\$)\$\{(HEARTH_\w+)", text))):
        defaults = re.findall(rf"\$\{{{name}:-((?:[^${{}}]|\$\{{[^{{}}]*\}})*)\}}", text)
        expect({tagged(default) for default in defaults} == {tagged(listed.get(name))},
               f"{name}: the default is {defaults}, in .env.example {listed.get(name)}")


def main():
    programs, secrets = map(os.path.abspath, sys.argv[1:])
    os.chdir(ROOT)
    fill = fill_in_module()
    text = FILE.read_text(encoding="utf-8")
    dockerfile = (FOLDER / "Dockerfile").read_text(encoding="utf-8")
    document = yaml.safe_load(text)
    single = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    services = document["services"]
    expect(set(services) == EXPECTED, f"the services are {sorted(services)}")
    for name, service in services.items():
        compose.check_restrictions(name, service)
        compose.check_paths(name, service, secrets)
        if service["image"] == "hearth": compose.check_programs(name, service, programs, secrets)
        check_written(name, service)
        files = filled(name, service, secrets, fill)
        if name in MEMBERS: check_member(name, service, files, dockerfile)
        if name == "haproxy": check_haproxy(service, files, secrets)
    check_users(services, secrets)
    compose.check_signing_keys(secrets)
    compose.check_graph(services, document["volumes"], document["networks"], FOLDER)
    compose.check_metrics(services)
    compose.check_images(document, (ROOT / "Dockerfile").read_text(encoding="utf-8"))
    check_etcd(services, dockerfile)
    check_hearth(services, single["services"])
    check_image(document, dockerfile)
    check_variables(text)
    opened = [port.rsplit(":", 1)[0] for one in services.values() for port in one.get("ports", [])]
    expect(len(set(opened)) == len(opened), f"two services open one port: {sorted(opened)}")
    for network in ("consensus", "database"):
        expect(document["networks"][network].get("internal"), f"{network} has a way out")
    for name in ("docs/availability.md", "docs/containers.md"):
        expect(COMMAND in (ROOT / name).read_text(encoding="utf-8"), f"{name}: lacks '{COMMAND}'")
    for problem in problems: print(problem)
    return 1 if problems else 0


if __name__ == "__main__": sys.exit(main())
