extension Reading {
    /// The guardians in the lists of members: with their names, and as they are recorded.
    static let guardians: [Reading] = [
        Reading(
            name: "guardians in member_list",
            // User, member, time and name: see app.visible_members.
            sql: "SELECT concat(\(tail("m.id")), g.position, \(tail(hex(1, 16))), "
                + "\(tail(hex(17, 16))), convert_from(substr(g.value, 41), 'UTF8'), "
                + "CASE WHEN substr(g.value, 33, 8) = timestamptz_send('\(Stage.earlier)') "
                + "THEN 's' END) "
                + "FROM app.member_list AS m, unnest(m.guardians) WITH ORDINALITY AS g (value, position)",
            cells: { $0.guardianshipCount * 5 },
            expected: { reader in guardiansInOrder(&reader) }),
        Reading(
            name: "guardians in my_profiles",
            sql: "SELECT concat(\(tail("p.user_id")), g.place, \(tail(hex(1, 16))), "
                + "\(tail(hex(17, 16))), convert_from(substr(g.value, 41), 'UTF8'), "
                + "CASE WHEN substr(g.value, 33, 8) = timestamptz_send('\(Stage.earlier)') "
                + "THEN 's' END) "
                + "FROM app.my_profiles AS p, unnest(p.guardians) WITH ORDINALITY AS g (value, place)",
            cells: { $0.guardianshipCount * 5 },
            expected: { reader in
                guard reader.asker.subject != nil else { return [] }
                // The guardian's own list, whichever member it acts for.
                var own = Reader(Asker(reader.asker.played.itself))
                let wards = own.world.rows.filter { own.may(.actAs, $0.family, $0.person) }
                return guardiansInOrder(of: wards, in: own.world)
            }),
        Reading(
            name: "guardians as they are recorded, in member_list",
            // User, time and slot: see app.visible_members.
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

    /// The primary guardian must come first, although the further one has been a guardian for
    /// longer. A guardian who was never a member of the family is not shown.
    private static func guardiansInOrder(_ reader: inout Reader) -> Set<String> {
        let rows = reader.world.rows.filter { reader.seesMember($0) }
        return guardiansInOrder(of: rows, in: reader.world)
    }

    private static func guardiansInOrder(of rows: [Row], in world: World) -> Set<String> {
        var seen: Set<String> = []
        for row in rows {
            let guardians = row.guardians.compactMap { guardian in
                world.row(guardian, in: row.family).map { (guardian, $0) }
            }
            for (index, (guardian, member)) in guardians.enumerated() {
                seen.insert(
                    row.person.tail + String(index + 1) + guardian.tail + member.tail
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
