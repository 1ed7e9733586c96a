import Domain
import Repositories
import CommandLine
import Configuration
import UseCases

/// `hearth-admin family`: families, their codes and their members.
enum FamilyCommands {
    static let command = Command(
        "family", "Families, their codes and their members.",
        subcommands: [
            list, show, create, rename, code, QRCommand.command, members, transferAdmin,
        ])

    private static let search = Parameter<String?>.option(
        "search", "TEXT", .text, "Only families whose name contains this text, ignoring case.")

    private static let list = Command(
        "list", "Lists families, newest first.",
        parameters: [search] + Options.paging
    ) { values in
        let page = try values.session().families(search: values[search], values.page)
        values.output.list(
            "families", page, AdminFamily.columns, row: \.row, json: { $0.write(to: &$1) })
        return ExitCode.success
    }

    private static let show = Command(
        "show", "Shows a family and its members.", parameters: [Options.family]
    ) { values in
        let session = try values.session()
        let family = try session.family(values[Options.family])
        show(family, try session.members(of: family.id), values.output)
        return ExitCode.success
    }

    private static let owner = Parameter<String>.requiredOption(
        "owner", "USER", .user,
        "The creator and first member: the id or e-mail address of a person.")
    private static let name = Parameter<FamilyName?>.option(
        "name", "NAME", Options.familyName, "The name of the family; default: My Family.")
    private static let role = Parameter<MemberRole?>.option(
        "role", "ROLE", .oneOf, "The owner's role in the family; default: the account's own role.")

    private static let create = Command(
        "create", "Creates a family for a person.",
        discussion: [
            "Creates a new family even if the person has one already. A parent becomes its Parent "
                + "Admin."
        ],
        parameters: [owner, name, role],
        examples: [
            Example(
                "hearth-admin family create --owner parent@example.com --name 'Our family'",
                "creates a family with this person as its Parent Admin")
        ]
    ) { values in
        let session = try values.session()
        let owner = try session.user(values[owner])
        let family = try session.createFamily(
            owner: owner.id, name: values[name], role: values[role])
        show(
            try session.family(family.id.description), try session.members(of: family.id),
            values.output)
        return ExitCode.success
    }

    private static let newName = Parameter<FamilyName>.argument(
        "NAME", Options.familyName, "The new name.")

    private static let rename = Command(
        "rename", "Renames a family.", parameters: [Options.family, newName]
    ) { values in
        let session = try values.session()
        let family = try session.family(values[Options.family])
        try session.renameFamily(family.id, to: values[newName])
        values.output.done("\(family.name) is now called \(values[newName])") {
            $0.member("id", family.id.description)
            $0.member("name", values[newName].text)
        }
        return ExitCode.success
    }

    private static let members = Command(
        "members", "Lists the members of a family.",
        parameters: [Options.family, includesRemoved]
    ) { values in
        let session = try values.session()
        let family = try session.family(values[Options.family])
        let members = try session.members(of: family.id, includingRemoved: values[includesRemoved])
        values.output.rows(
            "members", members, AdminMember.columns, row: \.row, json: { $0.write(to: &$1) })
        return ExitCode.success
    }

    private static let includesRemoved = Parameter<Bool>.flag(
        "removed", "Include former members.")

    private static let transferAdmin = Command(
        "transfer-admin", "Makes an adult of a family its Parent Admin.",
        discussion: [
            "The previous Parent Admin becomes an adult, because a family never has two. The seat "
                + "may be vacant."
        ],
        parameters: [Options.family, Options.member, Options.yes]
    ) { values in
        let session = try values.session()
        let family = try session.family(values[Options.family])
        let member = try session.member(values[Options.member], of: family.id)
        let name = member.fullName ?? member.id.description
        try values.confirm("Make \(name) the Parent Admin of \(family.name)?")
        try session.transferAdmin(to: member)
        values.output.done("\(name) is the Parent Admin of \(family.name)") {
            $0.member("familyId", family.id.description)
            $0.member("parentAdminMemberId", member.id.description)
        }
        return ExitCode.success
    }

    private static let regenerate = Parameter<Bool>.flag(
        "regenerate", "Give the family a new code. The old one stops working at once.")
    private static let expiresInDays = Parameter<Int?>.option(
        "expires-in-days", "DAYS", .integer(CodeService.allowedDays),
        "Days for which the new code is valid; default: no expiry. Only with --regenerate.")

    private static let code = Command(
        "code", "Shows the code with which people join a family, or replaces it.",
        parameters: [Options.family, regenerate, expiresInDays, Options.yes]
    ) { values in
        let session = try values.session()
        var family = try session.family(values[Options.family])
        if values[regenerate] {
            try values.confirm(
                "Replace the code of \(family.name)? The old one stops working at once.")
            try session.replaceCode(of: family.id, expiresInDays: values[expiresInDays])
            family = try session.family(family.id.description)
        } else if values[expiresInDays] != nil {
            throw UsageError("--expires-in-days can only be used with --regenerate")
        }
        // JSON prints null; as text, an empty line would be taken for a code.
        if family.code == nil && !values[Options.json] { throw OperatorRefusal.codeExpired }
        values.output.done(family.code ?? "") {
            $0.member("familyId", family.id.description)
            $0.member("code", family.code)
            $0.member("codeGeneratedAt", family.codeGeneratedAt?.description)
            $0.member("codeExpiresAt", family.codeExpiresAt?.description)
        }
        return ExitCode.success
    }

    private static func show(
        _ family: AdminFamily, _ members: [AdminMember], _ output: Output
    ) {
        let creator = members.first { $0.user == family.creator }?.fullName
        let creatorWords = [creator, family.creator.description].compactMap(\.self)
        output.record([
            ("id", family.id.description), ("name", family.name),
            ("code", family.code ?? (family.codeExpiresAt == nil ? "(none)" : "(expired)")),
            ("code expires", family.codeExpiresAt?.description),
            ("created", family.createdAt.description),
            ("created by", creatorWords.joined(separator: "  ")),
            ("members", "\(family.memberCount) of \(family.memberLimit)"),
            ("approval", family.isApprovalRequired ? "required to join" : nil),
        ]) { json in
            json.object("family") { family.write(to: &$0) }
            json.array("members") { list in
                for member in members { list.object { member.write(to: &$0) } }
            }
        }
        if !members.isEmpty && !output.isJSON {
            Terminal.standardOutput.write("\n")
            output.table(AdminMember.columns, members.map(\.row))
        }
    }
}
