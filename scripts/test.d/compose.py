"""Compares docker-compose.yml with the programs, settings, secrets and schema that it names.

usage: compose.py COMPOSE_FILE BIN_FOLDER SECRETS_FOLDER

scripts/make-secrets has created the secrets, as root. Each of Hearth's programs checks the settings
of its service. Also checks that each service is restricted, that it can read its own secrets only,
that only services that need them have the private signing keys, that a mail server with a user and
a password can be set, and that .env.example and the Dockerfile have the same defaults. Prints the
faults and exits with 1 if there are any.
"""

import os
import re
import subprocess
import sys

import yaml

# The service in which operators run commands, which may need any setting of hearth-admin.
OPERATORS = "admin"
# Settings that no operators' command needs.
OPTIONAL = {"HEARTH_APP_ACCENT", "HEARTH_APP_SCHEME", "HEARTH_CODE_LENGTH",
            "HEARTH_KEEP_AUDIT_DAYS", "HEARTH_MAIL_REPLY_TO",
            "HEARTH_MAIL_TEMPLATES", "HEARTH_SMTP_CA_FILE", "HEARTH_SMTP_PASSWORD",
            "HEARTH_SMTP_USER", "HEARTH_WRONG_CODES_A_MINUTE"}
# The services that send e-mail, and their settings for it. 'mail test' and the console's "Send me a
# test" prove only something if they send as the worker does.
SENDERS = ("worker", "admin", "console")
MAIL_SETTINGS = ("HEARTH_SMTP_URL", "HEARTH_SMTP_TLS", "HEARTH_MAIL_FROM")
EXPECTED = {"secrets", "postgres", "migrate", "api", "worker", "admin", "console", "mail",
            "rest"}
# The services that have the private signing keys: one signs, the other one rotates them.
SIGNERS = {"api", "admin"}
# Settings of a mail server with TLS, as an operator writes them to .env.
MAIL_SERVER = {"HEARTH_SMTP_URL": "smtp://mail.example.org:587", "HEARTH_SMTP_TLS": "required",
               "HEARTH_SMTP_USER": "hearth",
               "HEARTH_SMTP_PASSWORD_FILE": "/secrets/worker/smtp-password",
               "HEARTH_SMTP_CA_FILE": "/secrets/worker/smtp-ca.pem"}
# The service that creates the secrets of the others, and its capabilities.
CREATOR, CAPABILITIES = "secrets", ["CHOWN", "DAC_OVERRIDE"]

problems = []


def expect(holds, words):
    if not holds:
        problems.append(words)


def user_of(service):
    return int(str(service.get("user", "0")).split(":")[0])


def resolved(text):
    """The text as Compose reads it if no variable is set."""
    text, before = str(text), None
    while text != before:
        before, text = text, re.sub(r"(?<!\$)\$\{\w+:-([^${}]*)\}", r"\1", text)
    return text


def tagged(text):
    """The resolved text without the digest of an image, which images.py compares."""
    return re.sub("@sha256:[0-9a-f]+", "", resolved(text))


def check_restrictions(name, service):
    """Checks what keeps a service from harming others."""
    expect(re.fullmatch(r"(\d+):\1", service.get("user", "")),
           f"{name}: its user must be UID:GID, both the same number")
    expect(service.get("read_only") is True, f"{name}: its files are not read-only")
    expect(service.get("cap_drop") == ["ALL"], f"{name}: does not drop all capabilities")
    added = CAPABILITIES if name == CREATOR else None
    expect(service.get("cap_add") == added, f"{name}: has other capabilities than {added}")
    expect("no-new-privileges:true" in service.get("security_opt", []),
           f"{name}: can get new privileges")
    for limit in ("cpus", "mem_limit", "pids_limit"):
        expect(limit in service, f"{name}: has no {limit}")
    expect({"max-size", "max-file"} <= set(service.get("logging", {}).get("options", {})),
           f"{name}: its log grows without limit")
    expect("privileged" not in service and "pid" not in service, f"{name}: is not isolated")
    if "restart" in service:
        expect("healthcheck" in service, f"{name}: has no health check")


def check_users(services, secrets):
    """Checks that no two services share a user, and that each folder of secrets has one."""
    users = {}
    for name, service in services.items():
        other = users.setdefault(user_of(service), name)
        expect(other == name, f"{name} and {other} have the same user")
    for folder, _, files in os.walk(secrets):
        for path in [folder] + [os.path.join(folder, file) for file in files]:
            status = os.stat(path)
            if path == secrets: continue
            expect(status.st_mode & 0o077 == 0, f"{path} can be read by others than its owner")
            owner = users.get(status.st_uid)
            part = path[len(secrets) + 1:].split("/")[0]
            expect(owner == part or status.st_uid == 0, f"{path} belongs to the service {owner}")


def check_signing_keys(secrets):
    for folder in sorted(os.listdir(secrets)):
        has = os.path.isfile(os.path.join(secrets, folder, "signing-keys.pem"))
        expect(has == (folder in SIGNERS) or folder == "keys",
               f"{folder}: {'has' if has else 'lacks'} the private signing keys")


def check_images(document, dockerfile):
    images = [resolved(image) for image in document["x-images"].values()]
    for name, service in document["services"].items():
        expect("build" in service or resolved(service["image"]) in images,
               f"{name}: its image is not among x-images")
    for argument, image in document["x-hearth"]["build"]["args"].items():
        expect(f"ARG {argument}={resolved(image)}\n" in dockerfile,
               f"Dockerfile: {argument} is not {resolved(image)}")


def check_variables(text, example):
    """Checks that .env.example has each variable once, with its default."""
    listed = dict(re.findall(r"(?m)^#(HEARTH_\w+)=(.*)$", example))
    used = set(re.findall(r"\$\{(HEARTH_\w+)", re.sub(r"\$\$\{.*?\}", "", text)))
    for name in sorted(set(listed) ^ used):
        problems.append(f".env.example and docker-compose.yml differ: {name}")
    for name in sorted(set(listed) & used):
        defaults = re.findall(rf"\$\{{{name}:-((?:[^${{}}]|\$\{{[^{{}}]*\}})*)\}}", text)
        expect({tagged(default) for default in defaults} == {tagged(listed[name])},
               f".env.example: the default of {name} is {defaults}")


def check_paths(name, service, secrets):
    """Checks that files below /secrets exist and that the service's user can read them."""
    for key, value in service.get("environment", {}).items():
        for path in re.findall(r"/secrets/[^\s]+", str(value)):
            check_path(f"{name}: {key}", path, user_of(service), secrets)
    command = service.get("command", [])
    for path in re.findall(r"/secrets/[^\s\"']+", "\n".join(command)):
        check_path(f"{name}: its command", path, user_of(service), secrets)


def check_path(what, path, user, secrets):
    real = secrets + path.removeprefix("/secrets")
    if not os.path.isfile(real):
        expect(False, f"{what}: make-secrets makes no {path}")
    elif user != 0:
        owner = os.stat(real).st_uid
        expect(owner == user, f"{what}: {path} is user {owner}'s, not {user}'s")


def check_programs(name, service, programs, secrets):
    """Checks that the service's programs exist and accept its settings."""
    command = service.get("entrypoint", []) + service.get("command", ["hearth-api"])
    if command[0].startswith("scripts/"):
        expect(os.access(command[0], os.X_OK), f"{name}: there is no {command[0]}")
        return
    found = sorted(set(re.findall(r"\bhearth-[a-z]+\b", "\n".join(command))))
    expect(found, f"{name}: runs nothing of Hearth's")
    settings = {
        key: resolved(value).replace("/secrets/", secrets + "/")
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


def check_mail_server(name, service, programs, secrets, example):
    """Checks that the settings of a mail server reach the worker, which accepts them."""
    environment = service["environment"]
    for setting, value in MAIL_SERVER.items():
        expect(f"${{{setting}:-" in environment.get(setting, ""),
               f"{name}: does not get {setting} from .env")
        if value.startswith("/secrets/"):
            expect(value in example, f".env.example: does not name {value}")
    if not os.path.isfile(f"{secrets}/worker/smtp-password"): return
    settings = {**environment, **MAIL_SERVER}
    for setting, value in MAIL_SERVER.items():
        if setting.endswith("_FILE"):
            check_path(f"{name}: {setting}", value, user_of(service), secrets)
    ended = subprocess.run(
        [os.path.join(programs, "hearth-worker"), "--check-config"], capture_output=True, text=True,
        env={key: resolved(value).replace("/secrets/", secrets + "/")
             for key, value in settings.items()})
    expect(ended.returncode == 0, f"{name}, with a mail server: {ended.stdout}{ended.stderr}")


def check_graph(services, volumes, networks, folder):
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
            if source.startswith("."):
                there = os.path.isfile(os.path.join(folder, source))
                expect(there, f"{name}: there is no {source}")
                expect(volume.endswith(":ro"), f"{name}: can change {source}")
            else:
                expect(source in volumes, f"{name}: the volume {source} is not declared")
        for other in service.get("networks", []):
            expect(other in networks, f"{name}: the network {other} is not declared")
        for port in service.get("ports", []):
            expect(port.startswith("127.0.0.1:"), f"{name}: {port} is open to the network")


def check_metrics(services):
    """Checks that each API and worker serves metrics at an address of its own."""
    for name, service in services.items():
        environment = service.get("environment", {})
        if "HEARTH_METRICS_LISTEN" not in environment: continue
        network = service.get("network_mode", name).removeprefix("service:")
        port = environment["HEARTH_METRICS_LISTEN"].split(":")[-1]
        expect(port != environment.get("HEARTH_LISTEN", ":").split(":")[-1],
               f"{name}: its metrics are at the address of the API")
        expect(any(open_port.endswith(f":{port}") for open_port in services[network]["ports"]),
               f"{network}: the metrics of {name} can't be read at {port}")


def check_mail(services):
    """Checks that every sender reaches the mail server in the same way."""
    worker = services["worker"]
    for name in SENDERS:
        service = services[name]
        expect(service.get("network_mode") == worker["network_mode"],
               f"{name}: is not in the worker's network, in which the mail catcher is local")
        for setting in MAIL_SETTINGS:
            value = service["environment"].get(setting)
            expect(value is not None and value == worker["environment"].get(setting),
                   f"{name}: its {setting} is {value}, not that of the worker")


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
    folder = os.path.dirname(os.path.abspath(file))

    def text_of(name):
        with open(os.path.join(folder, name), encoding="utf-8") as opened:
            return opened.read()

    text = text_of(os.path.basename(file))
    document = yaml.safe_load(text)
    services = document["services"]
    expect(set(services) == EXPECTED, f"the services are {sorted(services)}")
    for name, service in services.items():
        check_restrictions(name, service)
        check_paths(name, service, secrets)
        if service.get("image") == "hearth":
            check_programs(name, service, programs, secrets)
    check_users(services, secrets)
    check_signing_keys(secrets)
    check_images(document, text_of("Dockerfile"))
    check_variables(text, text_of(".env.example"))
    check_mail_server("worker", services["worker"], programs, secrets, text_of(".env.example"))
    check_graph(services, document["volumes"], document["networks"], folder)
    check_metrics(services)
    check_mail(services)
    check_rest(services["rest"], text_of("sql/schema.sql"))
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__": main()
