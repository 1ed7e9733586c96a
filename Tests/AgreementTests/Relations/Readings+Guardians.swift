extension Reading {
    /// The guardians in the lists of members: by columns, and as one value each.
    static let guardians: [Reading] = [
        Reading(
            name: "guardians in member_list",
            sql: "SELECT concat(\(tail("m.id")), g.place, \(tail("g.user_id")), "
                + "\(tail("g.member_id")), g.name, "
                + "CASE WHEN g.since = '\(Stage.earlier)' THEN 's' END) "
                + "FROM app.member_list AS m, "
                + "unnest(m.guardian_user_ids, m.guardian_member_ids, m.guardian_names, "
                + "m.guardians_since) WITH ORDINALITY AS g (user_id, member_id, name, since, place)",
            cells: { $0.guardianshipCount * 5 },
            expected: { reader in guardiansInOrder(&reader) }),
        Reading(
            name: "guardians in one value, in member_list",
            // User, member, time and name: see app.members_seen.
            sql: "SELECT concat(\(tail("m.id")), g.place, \(tail(hex(1, 16))), "
                + "\(tail(hex(17, 16))), convert_from(substr(g.value, 41), 'UTF8'), "
                + "CASE WHEN substr(g.value, 33, 8) = timestamptz_send('\(Stage.earlier)') "
                + "THEN 's' END) "
                + "FROM app.member_list AS m, unnest(m.guardians) WITH ORDINALITY AS g (value, place)",
            cells: { $0.guardianshipCount * 5 },
            expected: { reader in guardiansInOrder(&reader, withMembership: true) }),
        Reading(
            name: "guardians as they are recorded, in member_list",
            // User, time and slot: see app.members_seen.
            sql: "SELECT concat(\(tail("m.id")), \(tail(hex(1, 16))), "
                + "CASE WHEN substr(g.value, 17, 8) = timestamptz_send('\(Stage.earlier)') "
                + "THEN 's' END, CASE WHEN substr(g.value, 25) = ANY ("
                + "SELECT int2send(s::int2) FROM generate_series(1, 4) AS s) THEN '' ELSE '?' END) "
                + "FROM app.member_list AS m, unnest(m.guardianships) AS g (value)",
            cells: { $0.guardianshipCount * 4 },
            expected: { reader in
                var seen: Set<String> = []
                for row in reader.world.rows where reader.seesMember(row) {
                    for guardian in row.guardians {
                        seen.insert(
                            row.person.tail + guardian.tail
                                + (guardian == row.furtherGuardian ? "s" : ""))
                    }
                }
                return seen
            }),
    ]

    /// The primary guardian first, though the further one has been guardian for longer.
    ///
    /// - Parameter withMembership: Whether only guardians with a membership of the family count.
    ///   Otherwise the memberships are listed by themselves, and there may be fewer of them.
    private static func guardiansInOrder(
        _ reader: inout Reader, withMembership: Bool = false
    ) -> Set<String> {
        var seen: Set<String> = []
        for row in reader.world.rows where reader.seesMember(row) {
            // A guardian who was never a member of the family has no membership to show.
            let members = row.guardians.compactMap { reader.world.row($0, in: row.family) }
            let guardians = row.guardians.filter {
                !withMembership || reader.world.row($0, in: row.family) != nil
            }
            for (place, guardian) in guardians.enumerated() {
                seen.insert(
                    row.person.tail + String(place + 1) + guardian.tail
                        + (place < members.count ? members[place].tail : "")
                        + String(describing: guardian)
                        + (guardian == row.furtherGuardian ? "s" : ""))
            }
        }
        return seen
    }
}

/// Bytes of a value of `guardians` as digits.
private func hex(_ start: Int, _ count: Int) -> String {
    "encode(substr(g.value, \(start), \(count)), 'hex')"
}
