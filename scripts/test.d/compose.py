"""Compares docker-compose.yml with the programs, settings, secrets and schema that it names.

usage: compose.py COMPOSE_FILE BIN_FOLDER SECRETS_FOLDER

scripts/make-secrets has created the secrets, as root. Each of Hearth's programs checks the settings
of its service. Prints the faults and exits with 1 if there are any.
"""

import os
import re
import subprocess
import sys

import yaml

# User ids of images of others.
USERS = {"postgres": 999, "rest": 1000}
HEARTH_USER = 10001
# Services in which operators run commands, which may need any setting of hearth-admin.
OPERATORS = "issuers"
# Settings that no operators' command needs.
OPTIONAL = {"HEARTH_CODE_LENGTH", "HEARTH_KEEP_AUDIT_DAYS", "HEARTH_MAIL_TEMPLATES",
            "HEARTH_WRONG_CODES_A_MINUTE"}
EXPECTED = {"secrets", "postgres", "migrate", "api", "worker", "issuers", "mail", "rest"}

problems = []


def expect(holds, words):
    if not holds:
        problems.append(words)


def user_of(name, service):
    return int(service.get("user", USERS.get(name, HEARTH_USER)))


def check_paths(name, service, secrets):
    """Checks that files below /secrets exist and that the service's user can read them."""
    for key, value in service.get("environment", {}).items():
        for path in re.findall(r"/secrets/[^\s]+", str(value)):
            check_path(f"{name}: {key}", path, user_of(name, service), secrets)
    command = service.get("command", [])
    for path in re.findall(r"/secrets/[^\s\"']+", "\n".join(command)):
        check_path(f"{name}: its command", path, user_of(name, service), secrets)


def check_path(what, path, user, secrets):
    real = secrets + path.removeprefix("/secrets")
    if not os.path.isfile(real):
        expect(False, f"{what}: make-secrets makes no {path}")
    elif user != 0:
        owner = os.stat(real).st_uid
        expect(owner == user, f"{what}: {path} is user {owner}'s, not {user}'s")


def check_programs(name, service, programs, secrets):
    """Checks that the service's programs exist and accept its settings."""
    command = service.get("command", ["hearth-api"])
    if command[0].startswith("scripts/"):
        expect(os.access(command[0], os.X_OK), f"{name}: there is no {command[0]}")
        return
    found = sorted(set(re.findall(r"\bhearth-[a-z]+\b", "\n".join(command))))
    expect(found, f"{name}: runs nothing of Hearth's")
    settings = {
        key: re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", str(value))
        .replace("/secrets/", secrets + "/")
        for key, value in service.get("environment", {}).items()
    }
    for program in found:
        path = os.path.join(programs, program)
        if not os.access(path, os.X_OK):
            expect(False, f"{name}: there is no {program}")
            continue
        known = subprocess.run([path, "--help"], capture_output=True, text=True, check=True)
        if name != "migrate":
            for key in settings:
                expect(key in known.stdout, f"{name}: {program} knows no {key}")
            checked = subprocess.run(
                [path, "--check-config"], env=settings, capture_output=True, text=True)
            expect(checked.returncode == 0, f"{name}: {checked.stdout}{checked.stderr}")
            if name == OPERATORS:
                for line in checked.stdout.splitlines():
                    expect("(not set)" not in line or line.split()[0] in OPTIONAL,
                           f"{name}: some commands need {line}")


def check_graph(services, volumes):
    for name, service in services.items():
        for other, how in service.get("depends_on", {}).items():
            expect(other in services, f"{name} depends on {other}, which is not there")
            condition = how["condition"]
            if condition == "service_healthy":
                expect("healthcheck" in services[other], f"{other} has no healthcheck")
        network = service.get("network_mode", "none")
        shares = network.removeprefix("service:")
        expect(
            network == "none" or shares in services and shares in service["depends_on"],
            f"{name}: {network} is no network of a service that it depends on")
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            expect(source in volumes, f"{name}: the volume {source} is not declared")
        for port in service.get("ports", []):
            expect(port.startswith("127.0.0.1:"), f"{name}: {port} is open to the network")


def check_rest(service, schema):
    environment = service["environment"]
    expect(
        f"CREATE SCHEMA {environment['PGRST_DB_SCHEMAS']};" in schema,
        "rest: the schema is not there")
    expect(
        f"CREATE FUNCTION {environment['PGRST_DB_PRE_REQUEST']}()" in schema,
        "rest: the function that begins a request is not there")


def main():
    file, programs, secrets = sys.argv[1:]
    with open(file, encoding="utf-8") as text:
        document = yaml.safe_load(text)
    services = document["services"]
    expect(set(services) == EXPECTED, f"the services are {sorted(services)}")
    for name, service in services.items():
        check_paths(name, service, secrets)
        if service.get("image") == "hearth":
            check_programs(name, service, programs, secrets)
    check_graph(services, document["volumes"])
    with open("sql/schema.sql", encoding="utf-8") as text:
        check_rest(services["rest"], text.read())
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


main()
