import Domain
import Policy

/// The caller's standing in the family. Each case is a column of the table.
enum Column: Int, CaseIterable, Sendable {
    /// A caller who is not signed in, or a managed member where it has no access.
    case nobody
    /// An account that is no active member.
    case outsider
    case visitor
    /// A parent whose household role is kid.
    case kid
    case player
    /// A player who created the family.
    case playerCreator
    case adult
    /// An adult who stands in for the creator and the Parent Admin, who are gone.
    case standIn
    /// An adult who created the family.
    case adultCreator
    case admin
    /// A managed member, through its guardian.
    case child
    /// A managed member in a family that is not its own.
    case childElsewhere
}

/// The permissions, written down by hand and independent of the module `Policy`.
///
/// `+` allowed; a letter: refused, for that reason; `-`: impossible. A row is an action and its
/// object: `own` - the caller or its own data; `ward` - an active managed member whose guardian the
/// caller is (the primary guardian, for removing and handing over); `charge` - a managed member of
/// other guardians; `unvouched-charge` - a `charge` without a vouched guardian, while the seat is
/// vacant; `account` - any other active member; `none` - no existing member. For joining at once by
/// a code: `approving` - a family that requires approval; `automatic` - any other family while
/// wrong codes make approval required; `barred` - a family that has removed the caller. Columns,
/// left to right: nobody, outsider, visitor, kid, player, player creator, adult, adult standing in,
/// adult creator, admin, child, child elsewhere.
enum WrittenTable {
    static let text = """
        action               about                   no  out vis kid pla p.c adu sub a.c adm chi far
        family.create        -                       n   +   +   +   +   +   +   +   +   +   w   w
        code.join            -                       n   +   +   +   +   +   +   +   +   +   w   w
        code.preview         -                       n   +   +   +   +   +   +   +   +   +   w   w
        code.enter           open                    n   +   +   +   +   +   +   +   +   +   w   w
        code.enter           approving               n   s   s   s   s   s   s   s   s   s   w   w
        code.enter           automatic               n   s   s   s   s   s   s   s   s   s   w   w
        code.enter           automatic-invited       -   +   +   +   +   +   +   +   +   +   -   -
        code.enter           barred                  -   s   s   s   s   s   s   s   s   s   -   -
        profile.read         own                     +   +   +   +   +   +   +   +   +   +   +   +
        profile.update       own                     n   +   +   +   +   +   +   +   +   +   +   +
        user.erase           own                     n   +   +   +   +   +   +   +   +   +   w   w
        user.export          own                     n   +   +   +   +   +   +   +   +   +   w   w
        account.manage       own                     n   +   +   +   +   +   +   +   +   +   w   w
        family.read          -                       m   m   +   +   +   +   +   +   +   +   +   m
        member.list          -                       m   m   +   +   +   +   +   +   +   +   +   m
        member.list_removed  -                       m   m   v   s   s   +   s   s   +   +   w   w
        email.read           -                       m   m   v   s   +   +   +   +   +   +   w   w
        code.read            -                       m   m   v   +   +   +   +   +   +   +   w   w
        code.regenerate      -                       m   m   v   s   +   +   s   +   +   +   w   w
        family.update        -                       m   m   v   s   s   +   s   s   +   +   w   w
        member.approve       -                       m   m   v   s   s   +   s   +   +   +   w   w
        audit.read           -                       m   m   v   s   s   +   s   s   +   +   w   w
        player_details.read  -                       m   m   v   s   +   +   +   +   +   +   w   w
        player_details.write -                       m   m   v   s   s   s   +   +   +   +   w   w
        member.leave         -                       m   m   +   +   +   +   +   +   +   +   w   w
        member.leave         waiting                 -   +   -   -   -   -   -   -   -   -   -   -
        member.remove        own                     -   -   v   s   s   o   s   s   o   o   w   -
        member.remove        ward                    -   m   v   s   s   c   +   +   +   +   -   -
        member.remove        charge                  m   m   v   s   s   c   s   s   c   +   w   w
        member.remove        unvouched-charge        m   m   v   s   s   +   s   s   +   -   w   w
        member.remove        admin                   m   m   v   s   s   a   s   s   a   -   w   w
        member.remove        account                 m   m   v   s   s   +   s   s   +   +   w   w
        member.remove        waiting                 m   m   v   s   s   +   s   +   +   +   w   w
        member.set_role      own-within-ceiling      -   -   +   +   +   +   +   +   +   +   w   -
        member.set_role      own-above-ceiling       -   -   v   s   s   s   -   -   -   -   -   -
        member.set_role      own-to-taken-seat       -   -   t   t   t   t   t   t   t   -   -   -
        member.set_role      own-to-vacant-seat      -   -   v   s   s   -   r   r   -   -   -   -
        member.set_role      vouched-to-vacant-seat  -   -   v   s   s   s   +   +   +   -   -   -
        member.set_role      own-to-unreserved-seat  -   -   v   s   s   -   +   +   -   -   -   -
        member.set_role      account                 m   m   v   s   s   s   s   s   s   +   w   w
        member.set_role      adult-to-taken-seat     m   m   v   s   s   t   s   s   t   t   w   w
        member.set_role      other-to-taken-seat     m   m   v   s   s   s   s   s   s   t   w   w
        member.set_role      adult-to-vacant-seat    m   -   v   s   s   +   s   s   +   -   -   -
        member.set_role      other-to-vacant-seat    m   -   v   s   s   s   s   s   s   -   -   -
        member.set_role      managed                 m   m   v   s   s   s   s   s   s   c   w   w
        admin.transfer       another-adult           m   m   v   s   s   s   s   s   s   +   w   w
        admin.transfer       own                     -   -   v   s   s   s   s   s   s   o   w   -
        admin.transfer       no-adult                m   m   v   s   s   s   s   s   s   s   w   w
        invitation.list      -                       m   m   v   +   +   +   +   +   +   +   w   w
        invitation.create    parent                  m   m   v   s   +   +   +   +   +   +   w   w
        invitation.create    player                  m   m   v   s   h   h   +   +   +   +   w   w
        invitation.create    parent_admin            m   m   v   s   h   h   h   h   h   h   w   w
        invitation.revoke    own                     -   m   v   s   +   +   +   +   +   +   -   -
        invitation.revoke    other                   m   m   v   s   s   +   s   s   +   +   w   w
        invitation.resend    own                     -   m   v   s   +   +   +   +   +   +   -   -
        invitation.resend    other                   m   m   v   s   s   +   s   s   +   +   w   w
        invitation.resend    graduation-by-primary   -   m   v   s   s   s   +   +   +   +   -   -
        invitation.resend    graduation              m   m   v   s   s   s   s   s   s   s   w   w
        invitation.preview   -                       +   +   +   +   +   +   +   +   +   +   +   +
        invitation.accept    addressee               n   +   +   +   +   +   +   +   +   +   w   w
        invitation.accept    link                    n   +   +   +   +   +   +   +   +   +   w   w
        invitation.accept    stranger                n   e   e   e   e   e   e   e   e   e   w   w
        invitation.decline   addressee               n   +   +   +   +   +   +   +   +   +   w   w
        invitation.decline   link                    n   +   +   +   +   +   +   +   +   +   w   w
        invitation.decline   stranger                n   e   e   e   e   e   e   e   e   e   w   w
        managed.create       -                       m   m   v   s   s   s   +   +   +   +   w   w
        managed.update       ward                    -   m   v   s   s   s   +   +   +   +   -   -
        managed.update       other                   m   m   v   s   s   s   s   s   s   s   w   w
        managed.remove       ward                    -   m   v   s   s   s   +   +   +   +   -   -
        managed.remove       charge                  m   m   v   s   s   s   s   s   s   +   w   w
        managed.remove       unvouched-charge        m   m   v   s   s   +   s   s   +   -   w   w
        managed.remove       other                   m   m   v   s   s   s   s   s   s   s   w   w
        managed.reassign     ward-to-another-adult   -   m   v   s   s   s   +   +   +   +   -   -
        managed.reassign     ward-to-oneself         -   -   v   s   s   s   o   o   o   o   -   -
        managed.reassign     other                   m   m   v   s   s   s   s   s   s   s   w   w
        managed.reassign     with-guardian-to-adult  m   m   v   s   s   s   s   s   s   +   w   w
        managed.reassign     with-replaced-guardian-to-oneself m m v s s s s s s o w w
        managed.graduate     ward                    -   m   v   s   s   s   +   +   +   +   -   -
        managed.graduate     other                   m   m   v   s   s   s   s   s   s   s   w   w
        guardian.add         adult                   -   m   v   s   s   s   +   +   +   +   -   -
        guardian.add         no-adult                -   m   v   s   s   s   s   s   s   s   -   -
        guardian.add         other                   m   m   v   s   s   s   s   s   s   s   w   w
        guardian.remove      own                     -   m   v   s   s   s   +   +   +   +   -   -
        guardian.remove      by-primary              -   m   v   s   s   s   +   +   +   +   -   -
        guardian.remove      by-further              -   m   v   s   s   s   s   s   s   s   -   -
        guardian.remove      other                   m   m   v   s   s   s   s   s   s   s   w   w
        guardian.promote     by-primary              -   m   v   s   s   s   +   +   +   +   -   -
        guardian.promote     by-further              -   m   v   s   s   s   s   s   s   s   -   -
        guardian.promote     other                   m   m   v   s   s   s   s   s   s   s   w   w
        act_as               ward                    -   m   v   s   s   s   +   +   +   +   w   -
        act_as               other                   m   m   v   s   s   s   s   s   s   s   w   w
        attributes.read      -                       m   m   v   +   +   +   +   +   +   +   +   m
        attributes.write     -                       m   m   v   s   s   +   +   +   +   +   w   w
        preferences.read     own                     -   -   +   +   +   +   +   +   +   +   +   -
        preferences.read     ward                    -   m   v   s   s   s   +   +   +   +   -   -
        preferences.read     other                   m   m   v   s   s   s   s   s   s   s   s   m
        preferences.write    own                     -   -   +   +   +   +   +   +   +   +   +   -
        preferences.write    ward                    -   m   v   s   s   s   +   +   +   +   -   -
        preferences.write    other                   m   m   v   s   s   s   s   s   s   s   s   m
        preferences.write    own-without-consent     -   -   -   -   -   -   -   -   -   -   q   -
        preferences.write    ward-without-consent    -   m   v   s   s   s   q   q   q   q   -   -
        consent.read         ward                    -   m   v   s   s   s   +   +   +   +   -   -
        consent.read         other                   m   m   v   s   s   s   s   s   s   s   w   w
        consent.give         ward                    -   m   v   s   s   s   +   +   +   +   -   -
        consent.give         other                   m   m   v   s   s   s   s   s   s   s   w   w
        consent.withdraw     ward                    -   m   v   s   s   s   +   +   +   +   -   -
        consent.withdraw     other                   m   m   v   s   s   s   s   s   s   s   w   w
        """

    private static let decisions: [Substring: Decision] = [
        "+": .allowed,
        "n": .refused(.accountRequired),
        "w": .refused(.notWhileActing),
        "m": .refused(.familyNotFound),
        "v": .refused(.visitorsOnlyRead),
        "o": .refused(.oneself),
        "a": .refused(.targetIsParentAdmin),
        "c": .refused(.targetIsManaged),
        "t": .refused(.parentAdminExists),
        "r": .refused(.seatReserved),
        "h": .refused(.roleTooHigh),
        "e": .refused(.notTheAddressee),
        "q": .refused(.consentRequired),
        "s": .refused(.standingTooLow),
    ]

    private static let rows: [String: [Decision?]] = {
        var rows: [String: [Decision?]] = [:]
        for line in text.split(separator: "\n").dropFirst() {
            let words = line.split(separator: " ")
            rows["\(words[0]) \(words[1])"] = words.dropFirst(2).map { decisions[$0] }
        }
        return rows
    }()

    /// The names of all rows, for the test that each row is used.
    static var names: [String] { rows.keys.sorted() }

    /// The decision in the table; nil if it has none.
    static func decision(_ row: String, _ column: Column) -> Decision? {
        rows[row].flatMap { $0[column.rawValue] }
    }
}

extension World {
    /// The column of a caller that acts for itself or for `subject`.
    func column(of subject: SamplePerson?, acting: Bool, in family: SampleFamily?) -> Column {
        guard let subject else { return .nobody }
        if acting {
            return family == nil || active(subject, in: family) != nil
                ? .child : .childElsewhere
        }
        guard let family, let row = active(subject, in: family) else { return .outsider }
        if row.householdRole == .visitor { return .visitor }
        let isCreator = creators[family] == subject
        switch (row.role, row.householdRole) {
        case (.player, _): return isCreator ? .playerCreator : .player
        case (.parent, .parentAdmin): return .admin
        case (.parent, .adult):
            return isCreator
                ? .adultCreator : isStandIn(subject, in: family) ? .standIn : .adult
        default: return .kid
        }
    }
}
