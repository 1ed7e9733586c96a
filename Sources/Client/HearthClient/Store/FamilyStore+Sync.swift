extension FamilyStore {
    /// Where the next sync goes on; nil before the first.
    func cursor() throws -> String? { try fact("cursor")?.text }

    /// Takes a page of changes and the cursor behind it, both or neither.
    ///
    /// A page that is a reset begins a new generation: everything comes again, and what has not
    /// come until the last page is removed then. Until then what was known stays to be read.
    func take(_ page: SyncPage) throws {
        var kinds = Set<ThingKind>()
        try write { file in
            var generation =
                try file.run("SELECT value FROM facts WHERE name = 'generation'")
                .first?.first?.integer ?? 0
            if page.isReset {
                generation += 1
                try file.set("generation", .integer(generation))
            }
            for change in page.changes {
                kinds.insert(change.key.kind)
                if let value = change.value {
                    try file.put(change.key, value, version: change.version)
                    // A child that has an account now is the same member by its id without a
                    // prefix.
                    if change.key.kind == .member, !change.key.id.hasPrefix("managed_") {
                        try file.remove(
                            ThingKey(
                                .member, family: change.key.family,
                                id: "managed_" + change.key.id))
                    }
                    if let conflict = value["conflict"], conflict != .null {
                        try file.note(
                            conflict, about: change.key,
                            cause: "\(change.key.id) \(change.version)")
                    }
                } else {
                    try file.remove(change.key)
                    if change.key.kind == .family { kinds.formUnion(Self.ofFamilies) }
                }
            }
            if !page.hasMore, generation > 0 {
                try file.run("DELETE FROM things WHERE generation < ?", .integer(generation))
                if file.changedRows > 0 { kinds.formUnion(Self.all) }
                // From now on changes come one by one: things without a change stay.
                try file.run("UPDATE things SET generation = 0")
                try file.set("generation", .integer(0))
            }
            try file.set("cursor", .text(page.cursor))
        }
        changed(kinds)
    }

    private static let ofFamilies: Set<ThingKind> = [
        .member, .invitation, .preferences, .playerDetails, .attributes,
    ]
    private static let all = ofFamilies.union([.family, .receivedInvitation, .profile])
}
