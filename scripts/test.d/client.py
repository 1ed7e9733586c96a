"""Calls a running API with the client that openapi-python-client generated.

usage: client.py BASE-URL FOLDER-WITH-TOKENS
"""

import pathlib
import sys

from hearth_client import AuthenticatedClient, Client
from hearth_client.api.codes import join_family, preview_family_code
from hearth_client.api.families import create_another_family, create_family, read_family
from hearth_client.api.invitations import create_invitation
from hearth_client.api.members import list_members, set_household_role
from hearth_client.models import (
    CreateAnotherFamilyBody, CreatedFamily, CreateFamilyBody, CreateInvitationBody,
    CreateInvitationBodyRole, JoinedFamily, JoinFamilyBody, Members, Problem400, Problem400Code,
    Problem401, Problem401Code, Problem403, Problem403Code, Problem404, Problem404Code,
    Problem409, Problem409Code, Problem422, Problem422Code, Problem429, Problem429Code,
    SetHouseholdRoleBody, SetHouseholdRoleBodyHouseholdRole)

base, folder = sys.argv[1], pathlib.Path(sys.argv[2])


def client(name):
    token = (folder / f"{name}.token").read_text().strip()
    return AuthenticatedClient(base, token=token, raise_on_unexpected_status=True)


def refused(answer, kind, code):
    assert type(answer) is kind, f"expected {kind.__name__}, got {answer}"
    assert answer.code is code, f"expected {code}, got {answer.code}"
    assert answer.detail == answer.message and answer.request_id


admin, parent, guest = client("admin"), client("parent"), client("guest")

family = create_family.sync(client=admin, body=CreateFamilyBody(familyName="The Gulls"))
assert type(family) is CreatedFamily and family.family_name == "The Gulls"
joined = join_family.sync(client=parent, body=JoinFamilyBody(familyCode=family.family_code))
assert type(joined) is JoinedFamily and joined.family_id == family.family_id
members = list_members.sync(client=admin)
assert type(members) is Members and members.count == 2
member = next(one for one in members.members if one.household_role.value == "adult")

refused(
    read_family.sync(family.family_id, client=Client(base)), Problem401,
    Problem401Code.NOT_SIGNED_IN)
refused(
    read_family.sync(family.family_id, client=guest), Problem404,
    Problem404Code.FAMILY_NOT_FOUND)
refused(
    join_family.sync(client=parent, body=JoinFamilyBody(familyCode=family.family_code)),
    Problem400, Problem400Code.ALREADY_MEMBER)
refused(
    join_family.sync(client=guest, body=JoinFamilyBody(familyCode="gibberish")), Problem400,
    Problem400Code.CODE_MALFORMED)
refused(
    set_household_role.sync(
        member.id, client=parent, body=SetHouseholdRoleBody(
            householdRole=SetHouseholdRoleBodyHouseholdRole.PARENT_ADMIN)),
    Problem409, Problem409Code.PARENT_ADMIN_EXISTS)
refused(
    create_invitation.sync(
        client=admin, body=CreateInvitationBody(
            role=CreateInvitationBodyRole.PARENT, email="parent@example.com")),
    Problem409, Problem409Code.PERSON_ALREADY_MEMBER)
refused(
    read_family.sync(family.family_id, client=admin, x_acting_as_member=member.id),
    Problem403, Problem403Code.ACTING_REFUSED)

for name, expected in (("Terns", type(family)), ("Auks", Problem422)):
    answer = create_another_family.sync(
        client=admin, body=CreateAnotherFamilyBody(familyName=name), idempotency_key="one")
    assert type(answer) is expected, answer
assert answer.code is Problem422Code.IDEMPOTENCY_KEY_REUSED

for _ in range(5):
    refused(
        preview_family_code.sync("FAM-ZZZZZZ", client=guest), Problem404,
        Problem404Code.CODE_UNKNOWN)
answer = preview_family_code.sync_detailed("FAM-ZZZZZZ", client=guest)
refused(answer.parsed, Problem429, Problem429Code.TOO_MANY_ATTEMPTS)
assert int(answer.headers["Retry-After"]) > 0
print("  ok: the generated Python client gets typed answers and typed refusals", file=sys.stderr)
