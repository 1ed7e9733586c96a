import Domain

/// How the one who asks stands in the family that it asks about: the columns of the table.
enum Column: Int, CaseIterable, Sendable {
    /// Not signed in, or a managed member where it has no business.
    case nobody
    /// An account that is no active member.
    case outsider
    case visitor
    /// A parent whose standing is kid.
    case kid
    case player
    /// A player who created the family.
    case playerCreator
    case adult
    /// An adult who created the family.
    case adultCreator
    case admin
    /// A managed member, through its guardian.
    case child
}

/// Who may do what, written down by hand and independent of the module `Policy`.
///
/// `+` allowed, `.` refused. A row is an action and what it is about. What a row is about:
/// `own` - oneself or one's own; `ward` - an active managed member whose guardian asks; `charge` -
/// another's managed member; `account` - any other active member; `none` - nobody who is there.
/// Columns, left to right: nobody, outsider, visitor, kid, player, player creator, adult, adult
/// creator, admin, child.
enum WrittenTable {
    static let text = """
        action              about                 no out vis kid pla p.c adu a.c adm chi
        family.create       -                      .  +   +   +   +   +   +   +   +   .
        code.join           -                      .  +   +   +   +   +   +   +   +   .
        code.preview        -                      .  +   +   +   +   +   +   +   +   .
        profile.read        own                    +  +   +   +   +   +   +   +   +   +
        profile.update      own                    .  +   +   +   +   +   +   +   +   +
        family.read         -                      .  .   +   +   +   +   +   +   +   +
        member.list         -                      .  .   +   +   +   +   +   +   +   +
        email.read          -                      .  .   .   .   +   +   +   +   +   .
        code.read           -                      .  .   .   +   +   +   +   +   +   .
        code.regenerate     -                      .  .   .   .   +   +   .   +   +   .
        family.update       -                      .  .   .   .   .   +   .   +   +   .
        member.approve      -                      .  .   .   .   .   +   .   +   +   .
        audit.read          -                      .  .   .   .   .   +   .   +   +   .
        player_details.read -                      .  .   .   .   +   +   +   +   +   .
        player_details.write -                     .  .   .   .   .   .   +   +   +   .
        member.leave        -                      .  .   +   +   +   +   +   +   +   .
        member.remove       own                    .  .   .   .   .   .   .   .   .   .
        member.remove       ward                   .  .   .   .   .   .   +   +   +   .
        member.remove       charge                 .  .   .   .   .   .   .   .   +   .
        member.remove       admin                  .  .   .   .   .   .   .   .   .   .
        member.remove       account                .  .   .   .   .   +   .   +   +   .
        member.remove       waiting                .  .   .   .   .   +   .   +   +   .
        member.set_role     own-not-raised         .  .   .   +   +   +   +   +   +   .
        member.set_role     own-raised             .  .   .   .   .   .   .   .   .   .
        member.set_role     own-to-taken-seat      .  .   .   .   .   .   .   .   .   .
        member.set_role     own-to-vacant-seat     .  .   .   .   .   .   .   +   .   .
        member.set_role     invited-to-vacant-seat .  .   .   .   .   .   +   +   .   .
        member.set_role     own-creator-gone       .  .   .   .   .   .   +   +   .   .
        member.set_role     account                .  .   .   .   .   .   .   .   +   .
        member.set_role     account-to-taken-seat  .  .   .   .   .   .   .   .   .   .
        member.set_role     adult-to-vacant-seat   .  .   .   .   .   +   .   +   .   .
        member.set_role     other-to-vacant-seat   .  .   .   .   .   .   .   .   .   .
        member.set_role     managed                .  .   .   .   .   .   .   .   .   .
        admin.transfer      another-adult          .  .   .   .   .   .   .   .   +   .
        admin.transfer      own-or-no-adult        .  .   .   .   .   .   .   .   .   .
        invitation.list     -                      .  .   .   +   +   +   +   +   +   .
        invitation.create   parent                 .  .   .   .   +   +   +   +   +   .
        invitation.create   player                 .  .   .   .   .   .   +   +   +   .
        invitation.create   parent_admin           .  .   .   .   .   .   .   .   .   .
        invitation.revoke   own                    .  .   .   .   +   +   +   +   +   .
        invitation.revoke   other                  .  .   .   .   .   +   .   +   +   .
        invitation.resend   own                    .  .   .   .   +   +   +   +   +   .
        invitation.resend   other                  .  .   .   .   .   +   .   +   +   .
        invitation.preview  -                      +  +   +   +   +   +   +   +   +   +
        invitation.accept   addressee              .  +   +   +   +   +   +   +   +   .
        invitation.accept   link                   .  +   +   +   +   +   +   +   +   .
        invitation.accept   stranger               .  .   .   .   .   .   .   .   .   .
        invitation.decline  addressee              .  +   +   +   +   +   +   +   +   .
        invitation.decline  link                   .  +   +   +   +   +   +   +   +   .
        invitation.decline  stranger               .  .   .   .   .   .   .   .   .   .
        managed.create      -                      .  .   .   .   .   .   +   +   +   .
        managed.update      ward                   .  .   .   .   .   .   +   +   +   .
        managed.update      other                  .  .   .   .   .   .   .   .   .   .
        managed.reassign    ward-to-another-adult  .  .   .   .   .   .   +   +   +   .
        managed.reassign    other                  .  .   .   .   .   .   .   .   .   .
        managed.reassign    with-guardian-to-adult .  .   .   .   .   .   .   .   +   .
        act_as              ward                   .  .   .   .   .   .   +   +   +   .
        act_as              other                  .  .   .   .   .   .   .   .   .   .
        preferences.read    own                    .  .   +   +   +   +   +   +   +   +
        preferences.read    ward                   .  .   .   .   .   .   +   +   +   .
        preferences.read    other                  .  .   .   .   .   .   .   .   .   .
        preferences.write   own                    .  .   +   +   +   +   +   +   +   +
        preferences.write   ward                   .  .   .   .   .   .   +   +   +   .
        preferences.write   other                  .  .   .   .   .   .   .   .   .   .
        """

    private static let rows: [String: [Bool]] = {
        var rows: [String: [Bool]] = [:]
        for line in text.split(separator: "\n").dropFirst() {
            let words = line.split(separator: " ")
            rows["\(words[0]) \(words[1])"] = words.dropFirst(2).map { $0 == "+" }
        }
        return rows
    }()

    /// Every row's name, for a test that each is used.
    static var names: [String] { rows.keys.sorted() }

    /// What stands in the table; nil when there is no such row.
    static func allows(_ row: String, _ column: Column) -> Bool? {
        rows[row].map { $0[column.rawValue] }
    }
}

extension World {
    /// The column of who asks for itself or as `subject`.
    func column(of subject: Person?, acting: Bool, in household: Household?) -> Column {
        guard let subject else { return .nobody }
        if acting {
            return household == nil || active(subject, in: household) != nil ? .child : .nobody
        }
        guard let household, let row = active(subject, in: household) else { return .outsider }
        if row.standing == .visitor { return .visitor }
        let isCreator = creators[household] == subject
        switch (row.role, row.standing) {
        case (.player, _): return isCreator ? .playerCreator : .player
        case (.parent, .parentAdmin): return .admin
        case (.parent, .adult): return isCreator ? .adultCreator : .adult
        default: return .kid
        }
    }
}
