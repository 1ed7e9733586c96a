"""Attacks on every form of the pages: from other sites, by other people, too late, twice, at once,
and with odd values. Forms are collected from the pages themselves.
"""
import json

from form_repetition import Repetition
from form_senders import Senders
from form_values import Values
from household import Household
from ledger import Ledger
from mailed import Outbox
from providers import Provider
from stage import Database
from tools import Report, Site


class Attack(Senders, Repetition, Values):
    """All attacks, and what the responses had in common."""


def attack(
        proxied: Site, site: Site, database: Database, outbox: Outbox, report: Report,
        demo_links: str, provider: Provider, words: list[str]) -> None:
    """The first site is another process of the second one, and trusts X-Forwarded-For. If there are
    words, only forms whose kind contains one of them are tried."""
    household = Household(proxied, database, outbox, demo_links, provider)
    ledger = Ledger(database)
    ledger.keep()
    described = json.loads(site.send("GET", "/openapi.json")[1])["paths"]
    seeds = [path for path, methods in described.items() if path != "/docs" and "text/html" in
             json.dumps(methods.get("get", {}).get("responses", {}).get("200", {}))]
    attacks = Attack(household, ledger, report, f"http://{site.host}:{site.port}")
    try:
        attacks.collect(seeds)
        attacks.choose(words)
        attacks.others_sites()
        attacks.types()
        attacks.tokens()
        attacks.other_people()
        attacks.lost_rights()
        attacks.twice()
        attacks.kept_values()
        attacks.odd_values()
        attacks.odd_queries(_parameters(described, seeds, attacks))
        attacks.others_pages()
        attacks.wordings()
    finally:
        ledger.close()
        provider.claims = {}


def _parameters(described: dict, seeds: list[str], attacks: Attack) -> dict[str, set[str]]:
    """The parameters of pages: described ones, and those of links and redirects."""
    parameters = {path: {parameter["name"] for parameter in described[path]["get"].get(
        "parameters", []) if parameter.get("in") == "query"} for path in seeds}
    for pages in attacks.pages.values():
        for address in pages:
            path, _, query = address.partition("?")
            for pair in filter(None, query.split("&")):
                parameters.setdefault(path, set()).add(pair.partition("=")[0])
    for path in ("/family", "/family/child", "/family/invite", "/family/settings", "/account"):
        parameters[path] |= {"done", "undo", "shown"}
    return parameters
