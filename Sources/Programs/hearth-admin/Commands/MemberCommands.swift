import Domain
import Repositories
import CommandLine
import Configuration
import UseCases

/// `hearth-admin member`: memberships and household roles.
enum MemberCommands {
    static let command = Command(
        "member", "Memberships and household roles.",
        subcommands: [add, remove, setRole])

    private static let role = Parameter<MemberRole?>.option(
        "role", "ROLE", .oneOf, "The role in the family; default: the account's own role.")
    private static let householdRole = Parameter<HouseholdRole?>.option(
        "household-role", "HOUSEHOLD-ROLE", .oneOf,
        "The household role; default: adult for a parent, kid for a player.")

    private static let add = Command(
        "add", "Adds a person to a family; this needs no code and no invitation.",
        discussion: [
            "The person must have signed in once; otherwise use 'hearth-admin invite send'. A "
                + "removed member becomes a member again."
        ],
        parameters: [Options.family, Options.user, role, householdRole]
    ) { values in
        let session = try values.session()
        let family = try session.family(values[Options.family])
        let user = try session.user(values[Options.user])
        let id = try session.addMember(
            user.id, to: family.id, role: values[role], householdRole: values[householdRole])
        printMember(try session.member(id), "is a member of \(family.name)", values.output)
        return ExitCode.success
    }

    private static let rotateCode = Parameter<Bool>.flag(
        "rotate-code", "Also give the family a new code, so that the old one stops working.")

    private static let remove = Command(
        "remove", "Removes a member from a family.",
        discussion: [
            "The membership is kept, with status removed. The member's pending invitations are "
                + "revoked. If the member is a guardian, name another guardian with "
                + "--reassign-managed-to. If the member is the Parent Admin and the family has "
                + "another adult, first run 'hearth-admin family transfer-admin'."
        ],
        parameters: [
            Options.family, Options.member, Options.newGuardian, rotateCode, Options.yes,
        ]
    ) { values in
        let session = try values.session()
        let family = try session.family(values[Options.family])
        let member = try session.member(values[Options.member], of: family.id)
        let newGuardian = try values.newGuardian(in: session, family.id)
        try values.confirm("Remove \(member.title) from \(family.name)?")
        try session.removeMember(
            member, reassigningManagedTo: newGuardian, rotatesCode: values[rotateCode])
        printMember(
            try session.member(member.id), "is no longer a member of \(family.name)", values.output)
        return ExitCode.success
    }

    private static let newHouseholdRole = Parameter<HouseholdRole>.argument(
        "HOUSEHOLD-ROLE", .oneOf, "The new household role.")

    private static let setRole = Command(
        "set-role", "Changes a member's household role.",
        discussion: [
            "The Parent Admin's seat can be given only while it is vacant; 'hearth-admin family "
                + "transfer-admin' moves it. Managed members are always kids."
        ],
        parameters: [
            Options.family, Options.member, newHouseholdRole, Options.newGuardian, Options.yes,
        ]
    ) { values in
        let session = try values.session()
        let family = try session.family(values[Options.family])
        let member = try session.member(values[Options.member], of: family.id)
        let newGuardian = try values.newGuardian(in: session, family.id)
        if values[newHouseholdRole] < member.householdRole {
            try values.confirm("Make \(member.title) \(values[newHouseholdRole].rawValue)?")
        }
        try session.setHouseholdRole(
            of: member, to: values[newHouseholdRole], reassigningManagedTo: newGuardian)
        printMember(
            try session.member(member.id), "is \(values[newHouseholdRole].rawValue)", values.output)
        return ExitCode.success
    }

    static func printMember(_ member: AdminMember, _ what: String, _ output: Output) {
        output.done("\(member.title) \(what)") { json in
            json.object("member") { member.write(to: &$0) }
        }
    }
}

/// `hearth-admin managed`: children without an account.
enum ManagedCommands {
    static let command = Command(
        "managed", "Children without an account (managed members), and their guardians.",
        subcommands: [add, guardians, graduate, reassign])

    private static let guardian = Parameter<String>.argument(
        "GUARDIAN", .member, "An adult of the family: the id, e-mail address or name.")
    private static let name = Parameter<DisplayName>.argument(
        "NAME", Options.displayName, "The child's name.")
    private static let avatar = Parameter<AvatarKey?>.option(
        "avatar-key", "KEY", Options.avatarKey, "The app's name for the child's picture.")

    private static let add = Command(
        "add", "Adds a child, with an adult of the family as its guardian.",
        parameters: [Options.family, guardian, name, avatar]
    ) { values in
        let session = try values.session()
        let family = try session.family(values[Options.family])
        let guardian = try session.member(values[guardian], of: family.id)
        let child = try session.addManagedMember(
            guardian: guardian.id, name: values[name],
            avatarKey: values[avatar].flatMap { $0.text.isEmpty ? nil : $0 })
        MemberCommands.printMember(
            try session.member(child), "is a child of \(family.name)", values.output)
        return ExitCode.success
    }

    private static let added = Parameter<String?>.option(
        "add", "MEMBER", .member, "An adult who becomes another guardian.")
    private static let removed = Parameter<String?>.option(
        "remove", "MEMBER", .member, "A guardian to remove.")
    private static let promoted = Parameter<String?>.option(
        "primary", "MEMBER", .member, "The guardian who becomes the primary guardian.")

    private static let guardians = Command(
        "guardians", "Lists the guardians of a child, or changes them.",
        discussion: [
            "The primary guardian comes first. Adults who become a guardian or stop being one get "
                + "an e-mail. A change of the primary guardian sends none."
        ],
        parameters: [Options.family, Options.child, added, removed, promoted]
    ) { values in
        let session = try values.session()
        let family = try session.family(values[Options.family])
        let child = try session.member(values[Options.child], of: family.id)
        let changes = [values[added], values[removed], values[promoted]].compactMap { $0 }
        guard changes.count <= 1 else {
            throw UsageError("pass only one of --add, --remove and --primary")
        }
        if let named = changes.first {
            let guardian = try session.member(named, of: family.id)
            if values[added] != nil {
                try session.addGuardian(guardian, of: child)
            } else if values[removed] != nil {
                try session.removeGuardian(guardian, of: child)
            } else {
                try session.promoteGuardian(guardian, of: child)
            }
        }
        let guardians = try session.guardians(of: child)
        values.output.rows(
            "guardians", guardians, AdminMember.columns, row: \.row,
            json: { $0.write(to: &$1) })
        return ExitCode.success
    }

    private static let reassign = Command(
        "reassign", "Replaces a child's primary guardian with another adult.",
        parameters: [Options.family, Options.child, guardian, Options.yes]
    ) { values in
        let session = try values.session()
        let family = try session.family(values[Options.family])
        let child = try session.member(values[Options.child], of: family.id)
        let guardian = try session.member(values[guardian], of: family.id)
        try values.confirm("Make \(guardian.title) the guardian of \(child.title)?")
        try session.reassignManagedMember(child, from: child.guardian, to: guardian)
        MemberCommands.printMember(
            try session.member(child.id), "has \(guardian.title) as its guardian", values.output)
        return ExitCode.success
    }
}

extension AdminMember {
    /// The person's name, or the id.
    var title: String { fullName ?? user.description }
}
