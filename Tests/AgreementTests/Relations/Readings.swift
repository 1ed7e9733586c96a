import Domain
import Policy

extension Reading {
    /// Relations read by the API's role: the tables under row-level security, and the views.
    static let api: [Reading] =
        tables + views + guardians + changes + sessions + batches + [conditional]

    static let tables: [Reading] = [
        Reading(
            name: "table family_units", sql: "SELECT \(tail("id")) FROM app.family_units",
            cells: \.familyCount,
            expected: { reader in
                Set(SampleFamily.existing.filter { reader.may(.familyRead, $0) }.map(\.tail))
            }),
        Reading(
            name: "table family_members", sql: "SELECT \(tail("id")) FROM app.family_members",
            cells: \.memberCount,
            expected: { reader in
                reader.list { reader, row in
                    // Memberships of one's own in any status, otherwise nobody could leave. Pending
                    // members are shown by the view alone.
                    row.person == reader.asker.subject
                        || (row.isActive && reader.seesMember(row)) ? row.tail : nil
                }
            }),
        Reading(
            name: "table guardianships",
            sql: "SELECT \(tail("member_id")) || \(tail("guardian_user_id")) "
                + "FROM app.guardianships",
            cells: \.guardianshipCount,
            expected: { reader in guardianships(&reader) }),
        Reading(
            name: "table users", sql: "SELECT \(tail("id")) FROM app.users",
            cells: { _ in SamplePerson.allCases.count },
            expected: { reader in
                Set(SamplePerson.allCases.filter { reader.seesPerson($0) }.map(\.tail))
            }),
        Reading(
            name: "table family_invitations",
            sql: "SELECT \(tail("id")) FROM app.family_invitations", cells: \.letterCount,
            expected: { reader in
                Set(
                    AddressedMessage.allCases.filter { reader.may(.invitationList, $0.family) }.map(
                        \.tail)
                )
            }),
        Reading(
            name: "table family_attributes",
            sql: "SELECT \(tail("family_unit_id")) FROM app.family_attributes",
            cells: \.familyCount,
            expected: { reader in
                Set(SampleFamily.existing.filter { reader.may(.attributesRead, $0) }.map(\.tail))
            }),
        Reading(
            name: "table member_preferences",
            sql: "SELECT \(tail("family_unit_id")) || \(tail("user_id")) "
                + "FROM app.member_preferences",
            cells: { $0.preferences.count },
            expected: { reader in
                Set(
                    reader.world.preferences
                        .filter { reader.may(.preferencesRead, $0.family, $0.person) }
                        .map { $0.family.tail + $0.person.tail })
            }),
        Reading(
            name: "table consents",
            sql: "SELECT \(tail("member_id")) || left(purpose, 1) || version "
                + "|| CASE WHEN ended_at IS NULL THEN '' ELSE 'e' END FROM app.consents",
            cells: { world in world.rows.reduce(0) { $0 + world.consents(for: $1).count } },
            expected: { reader in
                let world = reader.world
                let shown = world.rows.filter { row in
                    !world.consents(for: row).isEmpty
                        && reader.may(.consentRead, row.family, row.person)
                }
                return Set(
                    shown.flatMap { row in world.consents(for: row).map { row.tail + $0.mark } })
            }),
        Reading(
            name: "table account_consents",
            sql: "SELECT \(tail("user_id")) || left(purpose, 1) "
                + "|| CASE WHEN ended_at IS NULL THEN '' ELSE 'e' END FROM app.account_consents",
            cells: { _ in 4 },
            expected: { reader in
                guard reader.asker.subject == .me else { return [] }
                return Set(["l", "r", "te"].map { SamplePerson.me.tail + $0 })
            }),
    ]

    static let views: [Reading] = [
        Reading(
            // Rows of the account, whichever member it acts for.
            name: "children_of_actor_without_consent",
            sql: "SELECT \(tail("user_id")) FROM app.children_of_actor_without_consent",
            cells: \.memberCount,
            expected: { reader in
                guard reader.asker.subject != nil else { return [] }
                return reader.list { reader, row in
                    reader.world.lacksConsent(row) && row.guardians.contains(.me)
                        ? row.person.tail : nil
                }
            }),
        Reading(
            name: "my_family_list",
            sql: "SELECT \(tail("family_unit_id")) || CASE family_code <> '' WHEN true THEN 'c' "
                + "WHEN false THEN '' ELSE '?' END || CASE WHEN home_latitude IS NULL THEN '' ELSE 'h' END "
                + "|| CASE WHEN home_longitude IS NULL THEN '' ELSE 'l' END "
                + "|| CASE WHEN player_details IS NULL THEN '' ELSE 'd' END "
                + "FROM app.my_family_list",
            cells: { $0.familyCount * 5 },
            expected: { reader in
                Set(
                    SampleFamily.existing.filter { reader.may(.familyRead, $0) }
                        .map { $0.tail + reader.marks($0) })
            }),
        Reading(
            name: "member_list",
            sql: "SELECT \(tail("id")) || CASE WHEN email IS NULL THEN '' ELSE 'e' END "
                + "|| coalesce(left(household_ceiling, 1), '') "
                + "|| CASE WHEN is_managed THEN 'm' ELSE '' END "
                + "|| num_nonnulls(guardians, guardianships) "
                + "|| CASE num_nonnulls(family_version, family_raised_at) WHEN 2 THEN 'v' "
                + "WHEN 0 THEN '' ELSE '?' END "
                + "|| CASE WHEN creator_lowered_own_role THEN 'r' ELSE '' END "
                + "|| CASE WHEN is_gone THEN 'g' ELSE '' END FROM app.member_list",
            cells: { $0.memberCount * 8 },
            expected: { reader in
                reader.list { reader, row in
                    guard reader.seesMember(row) else { return nil }
                    let isShown =
                        row.person.email != nil
                        && (row.person == reader.asker.subject
                            || reader.may(.emailRead, row.family))
                    // A person's choices are visible to nobody else.
                    let isOwn = row.person == reader.asker.subject
                    let isResting =
                        reader.world.creators[row.family] == row.person
                        && reader.world.isCreatorResting(in: row.family)
                    return row.tail + (isShown ? "e" : "")
                        + (isOwn ? String(row.ceiling.rawValue.prefix(1)) : "")
                        + (row.person.isManaged ? "m2" : "0") + (isOwn ? "v" : "")
                        + (isResting ? "r" : "")
                        + (reader.world.isBlocked(row.person) ? "g" : "")
                }
            }),
        Reading(
            name: "what one may choose, in my_family_list",
            sql: "SELECT \(tail("family_unit_id")) || left(household_ceiling, 1) "
                + "|| CASE WHEN vouched THEN 'v' ELSE '' END "
                + "|| CASE WHEN seat_taken THEN 't' ELSE '' END "
                + "|| CASE WHEN seat_reserved THEN 'r' ELSE '' END FROM app.my_family_list",
            cells: { $0.familyCount * 5 },
            expected: { reader in
                reader.list { reader, row in
                    guard row.person == reader.asker.subject, reader.may(.familyRead, row.family)
                    else { return nil }
                    return row.family.tail + String(row.ceiling.rawValue.prefix(1))
                        + (row.isVouched ? "v" : "")
                        + (reader.world.isSeatTaken(in: row.family) ? "t" : "")
                        + (reader.world.isSeatReserved(in: row.family) ? "r" : "")
                }
            }),
        Reading(
            name: "former_member_list",
            sql: "SELECT \(tail("id")) || CASE WHEN email IS NULL THEN '' ELSE 'e' END "
                + "|| CASE WHEN creator_lowered_own_role THEN 'r' ELSE '' END "
                + "FROM app.former_member_list",
            cells: { $0.memberCount * 2 },
            expected: { reader in
                reader.list { reader, row in
                    row.status == .removed && reader.may(.memberListRemoved, row.family)
                        ? row.tail : nil
                }
            }),
        Reading(
            name: "my_profile", sql: "SELECT \(tail("id")) FROM app.my_profile",
            cells: { _ in SamplePerson.allCases.count },
            expected: { reader in
                guard let subject = reader.asker.subject, reader.may(.profileRead, nil) else {
                    return []
                }
                return [subject.tail]
            }),
        Reading(
            // Missing: a required consent that was withdrawn, one to an older text, and one that is
            // not required but needed for an action.
            name: "my_missing_consents",
            sql: "SELECT left(purpose, 1) FROM app.my_missing_consents", cells: { _ in 5 },
            expected: { reader in reader.asker.subject == .me ? ["t", "r", "e"] : [] }),
        Reading(
            name: "my_contacts",
            sql: "SELECT DISTINCT \(tail("user_id")) FROM app.my_contacts",
            cells: \.memberCount,
            expected: { reader in
                guard reader.asker.subject == .me else { return [] }
                return reader.list { reader, row in
                    guard row.status != .removed, reader.may(.emailRead, row.family) else {
                        return nil
                    }
                    return row.isActive || reader.may(.memberApprove, row.family)
                        ? row.person.tail : nil
                }
            }),
        Reading(
            // Rows of the account, even while acting for a child, which has none.
            name: "my_requests", sql: "SELECT \(tail("family_unit_id")) FROM app.my_requests",
            cells: \.familyCount,
            expected: { reader in
                reader.list { reader, row in
                    row.person == reader.asker.subject && row.status == .invited
                        && reader.may(.profileRead, nil) ? row.family.tail : nil
                }
            }),
        Reading(
            name: "my_profiles", sql: "SELECT \(tail("user_id")) FROM app.my_profiles",
            cells: { _ in SamplePerson.allCases.count },
            expected: { reader in
                guard reader.asker.subject != nil else { return [] }
                // The guardian's own list, whichever member it acts for.
                var own = Reader(Asker(reader.asker.played.itself))
                let wards = own.world.rows.filter { own.may(.actAs, $0.family, $0.person) }
                return Set([SamplePerson.me.tail] + wards.map(\.tail))
            }),
        Reading(
            name: "invitation_list",
            sql: "SELECT \(tail("id")) || CASE WHEN invited_email = '' THEN '' ELSE 'e' END "
                + "|| CASE status WHEN 'expired' THEN 'x' ELSE '' END FROM app.invitation_list",
            cells: { $0.letterCount * 2 },
            expected: { reader in letters(&reader) }),
        Reading(
            name: "members counted in my_family_list",
            sql: "SELECT \(tail("family_unit_id")) || chr(96 + member_count) "
                + "FROM app.my_family_list",
            cells: { $0.familyCount * 2 },
            expected: { reader in
                Set(
                    SampleFamily.existing.filter { reader.may(.familyRead, $0) }.map { family in
                        let count = reader.world.rows.count {
                            $0.family == family && $0.isActive
                        }
                        return family.tail + String(UnicodeScalar(UInt8(96 + count)))
                    })
            }),
        Reading(
            name: "deliveries in invitation_list",
            sql: "SELECT \(tail("id")) || CASE delivery_status WHEN 'sent' THEN 's' "
                + "WHEN 'queued' THEN 'q' ELSE '' END FROM app.invitation_list",
            cells: { $0.letterCount * 2 },
            expected: { reader in
                let seen = AddressedMessage.allCases.filter {
                    reader.may(.invitationList, $0.family)
                }
                return Set(
                    seen.map { letter in
                        if letter.address == nil { return letter.tail }
                        return letter.tail + (letter.sentGeneration == 1 ? "s" : "q")
                    })
            }),
        Reading(
            name: "invitations_to_me", sql: "SELECT \(tail("id")) FROM app.invitations_to_me",
            cells: \.letterCount,
            expected: { reader in
                Set(
                    AddressedMessage.allCases.filter {
                        $0.isOpen && $0.address != nil && reader.may(.invitationAccept, $0)
                            && !reader.world.isBlocked($0.inviter)
                    }.map(\.tail))
            }),
        Reading(
            name: "addresses of invitations previewed",
            sql: AddressedMessage.allCases.map {
                "SELECT '\($0.tail)' FROM app.preview_invitation(\($0.tokenHash)) "
                    + "WHERE email = '\($0.address ?? "-")'"
            }.joined(separator: " UNION ALL "),
            cells: \.letterCount,
            expected: { reader in
                Set(
                    AddressedMessage.allCases.filter {
                        $0.address != nil && reader.may(.invitationAccept, $0)
                    }.map(\.tail))
            }),
        Reading(
            name: "sign_ins", sql: "SELECT \(tail("user_id")) FROM app.sign_ins",
            cells: { _ in 2 },
            expected: { reader in
                // The session that began the request, whichever member it acts for.
                reader.asker.played.signIn == .account ? [SamplePerson.me.tail] : []
            }),
        Reading(
            name: "delegations", sql: "SELECT \(tail("member_id")) FROM app.delegations",
            cells: { $0.rows.filter(\.person.isManaged).count },
            expected: { reader in
                guard reader.asker.subject != nil, !reader.asker.played.isActing else { return [] }
                return reader.list { reader, row in
                    row.person.isManaged && reader.may(.actAs, row.family, row.person)
                        ? row.tail : nil
                }
            }),
        Reading(
            name: "audit_page",
            sql: "SELECT \(tail("p.id")) || '-' || coalesce(\(tail("subject_user_id")), '') "
                + "|| CASE WHEN subject_is_managed THEN 's' ELSE '' END "
                + "|| CASE WHEN target_is_managed THEN 't' ELSE '' END "
                + "FROM unnest('{\(SampleFamily.existing.map { "\($0.id)" }.joined(separator: ","))}'"
                + "::uuid[]) AS f (id) "
                + "CROSS JOIN LATERAL app.audit_page(f.id, NULL, NULL, 100) AS p",
            cells: { $0.familyCount + 2 },
            expected: { reader in
                let families = SampleFamily.existing.filter { reader.may(.auditRead, $0) }
                var entries = Set(
                    families.map { family in
                        let subject: SamplePerson = family == .a ? .niece : .stranger
                        return "\(700 + family.rawValue)-\(subject.tail)"
                            + (family == .a ? "s" : family == .b ? "t" : "")
                    })
                if families.contains(.b) { entries.insert("798-\(SamplePerson.grown.tail)") }
                return entries
            }),
    ]

    /// Relations read by a direct client.
    static let direct: [Reading] = [
        Reading(
            name: "api.family_units",
            sql: "SELECT \(tail("id")) || CASE family_code <> '' WHEN true THEN 'c' "
                + "WHEN false THEN '' ELSE '?' END "
                + "|| CASE WHEN home_latitude IS NULL THEN '' ELSE 'h' END "
                + "|| CASE WHEN home_longitude IS NULL THEN '' ELSE 'l' END "
                + "|| CASE WHEN player_details IS NULL THEN '' ELSE 'd' END FROM api.family_units",
            cells: { $0.familyCount * 5 },
            expected: { reader in
                var seen = Set(
                    SampleFamily.existing.filter { reader.may(.familyRead, $0) }
                        .map { $0.tail + reader.marks($0) })
                // A person who has just created a family sees it before becoming its member.
                if reader.may(.familyCreate, nil) { seen.insert(SampleFamily.hollow.tail) }
                return seen
            }),
        Reading(
            name: "api.family_members", sql: "SELECT \(tail("id")) FROM api.family_members",
            cells: \.memberCount,
            expected: { reader in
                reader.list { reader, row in
                    row.isActive && reader.seesMember(row) ? row.tail : nil
                }
            }),
        Reading(
            // Families that the caller shares with somebody come first.
            name: "order of api.family_members",
            sql: "SELECT concat(row_number() OVER (), '-', \(tail("id"))) FROM api.family_members",
            cells: \.memberCount,
            expected: { reader in membersInOrder(&reader) }),
        Reading(
            name: "api.users",
            sql: "SELECT \(tail("id")) || CASE WHEN email = '' THEN '' ELSE 'e' END "
                + "FROM api.users",
            cells: { _ in SamplePerson.allCases.count * 2 },
            expected: { reader in
                Set(
                    SamplePerson.allCases.filter { reader.seesPerson($0) }
                        .map { $0.tail + (reader.seesAddress($0) ? "e" : "") })
            }),
        Reading(
            name: "api.family_invitations",
            sql: "SELECT \(tail("id")) || CASE WHEN invited_email = '' THEN '' ELSE 'e' END "
                + "|| CASE status WHEN 'expired' THEN 'x' ELSE '' END || token "
                + "FROM api.family_invitations",
            cells: { $0.letterCount * 2 },
            expected: { reader in letters(&reader) }),
    ]

    private static func membersInOrder(_ reader: inout Reader) -> Set<String> {
        var seen: [Row] = []
        for row in reader.world.rows where row.isActive && reader.seesMember(row) {
            seen.append(row)
        }
        func isShared(_ family: SampleFamily) -> Bool {
            seen.contains { $0.family == family && $0.person != .me }
        }
        // All have been members since the same time.
        let ordered =
            seen.filter { isShared($0.family) }.sorted { $0.id < $1.id }
            + seen.filter { !isShared($0.family) }.sorted { $0.id < $1.id }
        return Set(ordered.enumerated().map { "\($0.offset + 1)-\($0.element.tail)" })
    }

    private static func guardianships(_ reader: inout Reader) -> Set<String> {
        var seen: Set<String> = []
        for row in reader.world.rows where reader.seesMember(row) {
            for guardian in row.guardians { seen.insert(row.person.tail + guardian.tail) }
        }
        return seen
    }

    private static func letters(_ reader: inout Reader) -> Set<String> {
        var seen: Set<String> = []
        for letter in AddressedMessage.allCases where reader.may(.invitationList, letter.family) {
            let isShown = letter.address != nil && reader.may(.emailRead, letter.family)
            seen.insert(
                letter.tail + (isShown ? "e" : "") + (letter.isOverdue ? "x" : ""))
        }
        return seen
    }
}
