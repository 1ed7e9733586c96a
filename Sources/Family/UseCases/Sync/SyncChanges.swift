package import Crypto
import Domain
import Policy
import Postgres
import Repositories

/// Returns what has changed for a client since its last request: its own data, its families, the
/// children it guards and the invitations it has received. While acting, only what the child may
/// see.
package struct SyncChanges: Sendable {
    /// Maximum number of changes in a response.
    package static let pageLimit = 500

    /// A page of changes.
    package struct Page: Sendable {
        package let changes: [SyncedChange]
        /// Cursor of the next request.
        package let cursor: String
        /// Whether the next page can be requested at once.
        package let hasMore: Bool
        /// Whether the client must discard its data before it applies this page.
        package let isReset: Bool
        /// Versions to wait for until there are more changes.
        package let watched: [WatchedVersion]
    }

    private let reads: any ReadRouter
    private let key: HMACKey
    private let limit: Int

    /// - Parameters:
    ///   - key: The key that authenticates cursors.
    ///   - limit: Maximum number of changes on a page.
    package init(
        _ reads: any ReadRouter, _ key: HMACKey, limit: Int = SyncChanges.pageLimit
    ) {
        self.reads = reads
        self.key = key
        self.limit = limit
    }

    /// - Parameter text: The previous page's cursor. Without one, or with one from which it is
    ///   impossible to continue, everything is sent, beginning with a page that is a reset.
    package func callAsFunction(by context: RequestContext, cursor text: String?) throws -> Page {
        try context.caller.facts.require(.profileRead)
        return try reads.runInOrder { try page(by: context, cursor: text, from: $0) }
    }

    /// Reads a page of changes; nil if a server that is not current can't decide whether it is
    /// possible to continue from the cursor.
    private func page(
        by context: RequestContext, cursor text: String?, from server: any ReadServer
    ) throws -> Page? {
        let state = try server.run(Read(by: context) { SyncState.reading(&$0) })
        let given = try text.flatMap { try SyncCursor($0, by: key) }
            .map { try followed($0, by: context, state, server) }
        var cursor = given ?? state.newCursor
        var isReset = given == nil || !state.continues(cursor)
        var left: [SyncedChange] = []
        if !isReset {
            if let gone = try familiesLeft(by: context, &cursor, state, server) {
                left = gone
            } else {
                isReset = true
            }
        }
        if isReset, given != nil, !server.isCurrent { return nil }
        if isReset { cursor = state.newCursor }
        let known = cursor.knownVersions
        guard let (things, hasMore) = try things(for: context, &cursor, state, server) else {
            return try server.isCurrent ? page(by: context, cursor: nil, from: server) : nil
        }
        left += Self.leftMeanwhile(things, besides: left, state)
        left += try values(of: things, for: context, &cursor, state, known, server)
        guard let changes = try dated(left, for: context, server) else {
            return try server.isCurrent ? page(by: context, cursor: nil, from: server) : nil
        }
        return Page(
            changes: changes, cursor: try cursor.text(by: key), hasMore: hasMore,
            isReset: isReset, watched: state.watched)
    }

    /// Returns a cursor that names the account by an earlier id as one of the account's present id.
    private func followed(
        _ cursor: SyncCursor, by context: RequestContext, _ state: SyncState,
        _ server: any ReadServer
    ) throws -> SyncCursor {
        guard let user = state.subject.user, cursor.subject != user.rawValue else { return cursor }
        let wasOwn = try server.run(
            Read(by: context) { batch in
                let place = batch.add(Accounts.wasID, user, UserID(rawValue: cursor.subject))
                return { answers, _ in try answers.row(place).value }
            })
        var cursor = cursor
        if wasOwn { cursor.subject = state.subjectID }
        return cursor
    }

    /// Removes the families that the subject has left from the cursor. Nil if one of them is no
    /// longer known.
    private func familiesLeft(
        by context: RequestContext, _ cursor: inout SyncCursor, _ state: SyncState,
        _ server: any ReadServer
    ) throws -> [SyncedChange]? {
        let keys = cursor.keys
        let active = Set(state.families.map { keys.key(of: $0.id) })
        let gone = cursor.families.filter { !active.contains($0.key) }
        if let place = cursor.place?.family, !active.contains(place) { cursor.place = nil }
        if gone.isEmpty { return [] }
        let former = try server.run(
            Read(by: context) { batch in
                let former = batch.add(Changes.formerFamilies)
                return { answers, _ in try answers.rows(former).map(\.value) }
            })
        cursor.families.removeAll { !active.contains($0.key) }
        var changes: [SyncedChange] = []
        for family in gone {
            guard let id = former.first(where: { keys.key(of: $0.rawValue) == family.key })
            else { return nil }
            changes.append(
                SyncedChange(
                    kind: .family, id: id.rawValue, isManaged: false, family: id,
                    version: family.version, value: nil))
        }
        return changes
    }

    /// Returns families that the subject has left by its own changes, but that the cursor did not
    /// know, because they were to be sent again or had not been sent completely.
    private static func leftMeanwhile(
        _ things: [ChangedEntity], besides told: [SyncedChange], _ state: SyncState
    ) -> [SyncedChange] {
        let known = Set(state.families.map(\.id) + told.map(\.id))
        return things.filter { $0.kind == .family && !known.contains($0.id) }.map { thing in
            SyncedChange(
                kind: .family, id: thing.id, isManaged: false, family: thing.family, version: 0,
                value: nil)
        }
    }

    /// Returns the changes, with each left family at the version at which it was left: the client's
    /// data of the family are older. Nil if one of the memberships is not a former one any more.
    private func dated(
        _ changes: [SyncedChange], for context: RequestContext, _ server: any ReadServer
    ) throws -> [SyncedChange]? {
        let left = changes.filter { $0.kind == .family && $0.value == nil }
        if left.isEmpty { return changes }
        let rows = try server.run(
            Read(by: context) { batch in
                let rows = batch.add(Changes.versionsWhenLeft, left.map(\.id))
                return { answers, _ in try answers.rows(rows) }
            })
        let versions = Dictionary(
            rows.map(\.values), uniquingKeysWith: { max($0, $1) })
        var dated: [SyncedChange] = []
        for change in changes {
            guard change.kind == .family, change.value == nil else {
                dated.append(change)
                continue
            }
            // Without one the person has entered again since this was read, or the membership was
            // erased: the version that the client has may be newer than the one in the cursor.
            guard let ended = versions[change.id] else { return nil }
            let version = max(change.version, ended)
            dated.append(
                SyncedChange(
                    kind: .family, id: change.id, isManaged: false, family: change.family,
                    version: version, value: nil))
        }
        return dated
    }

    /// Returns the next entities to send, and whether there are more; moves the cursor behind them.
    /// Nil if changes behind the cursor were deleted while they were read, or undone at some time.
    private func things(
        for context: RequestContext, _ cursor: inout SyncCursor, _ state: SyncState,
        _ server: any ReadServer
    ) throws -> (things: [ChangedEntity], hasMore: Bool)? {
        let parts = SyncPart.all(of: cursor, in: state)
        if parts.isEmpty { return ([], false) }
        let (origins, lists, later) = try server.run(
            Read(by: context) { [limit] batch in
                let origins = parts.map { $0.origin(in: &batch) }
                let places = parts.map { $0.things(Int32(limit + 1), in: &batch) }
                let later = SyncState.reading(&batch)
                return { answers, subject in
                    (
                        try origins.map { try $0.map { try answers.row($0).value } },
                        try places.map { try answers.rows($0) }, try later(answers, subject)
                    )
                }
            })
        guard later.continues(cursor),
            zip(parts, origins).allSatisfy({ part, origin in
                origin.map { !part.fromMoment.isOther(than: VersionMoment($0)) } ?? true
            })
        else { return nil }
        var things: [ChangedEntity] = []
        for (part, list) in zip(parts, lists) {
            let room = limit - things.count
            let taken = list.prefix(room)
            things += taken
            // Then the parts differ.
            let isAnotherStart = part.family == nil && cursor.sendAgain(familiesOf: taken)
            if list.count > room {
                if let last = taken.last { cursor.stop(part, after: last) }
                return (things, true)
            }
            cursor.finish(part)
            if isAnotherStart { return (things, true) }
        }
        let isWhole = state.families.allSatisfy { family in
            let key = cursor.keys.key(of: family.id)
            return cursor.families.contains { $0.key == key && !$0.isSentAgain }
        }
        return (things, !isWhole)
    }

    /// Reads the entities as the caller may see them.
    private func values(
        of things: [ChangedEntity], for context: RequestContext, _ cursor: inout SyncCursor,
        _ state: SyncState, _ known: [UInt64: Int64], _ server: any ReadServer
    ) throws -> [SyncedChange] {
        let active = Dictionary(
            uniqueKeysWithValues: state.families.map { (FamilyID(rawValue: $0.id), $0.version) })
        let keys = cursor.keys
        // Nothing is sent of a family that was left.
        let own = things.filter { thing in thing.family.map { active[$0] != nil } ?? true }
        if own.isEmpty { return [] }
        let values = try server.run(
            Read(by: context) { SyncedValues.reading(own, &$0) })
        var changes: [SyncedChange] = []
        var told: Set<ChangedEntityKey> = []
        for thing in own.reversed() where told.insert(ChangedEntityKey(thing)).inserted {
            if let family = thing.family, values.families[family] == nil { continue }
            let isOwn = thing.family == nil || thing.kind == .preferences
            let value = values.value(
                of: thing, after: thing.family.flatMap { known[keys.key(of: $0.rawValue)] })
            changes += SyncedChange.all(
                of: thing, isOwn ? thing.version : thing.family.flatMap { active[$0] } ?? 0, value)
        }
        changes.reverse()
        // The family was left since the versions were read: all of it is removed, nothing else is
        // sent.
        let gone = Set(own.compactMap(\.family)).filter { values.families[$0] == nil }
        for family in gone.sorted(by: { $0.rawValue < $1.rawValue }) {
            cursor.families.removeAll { $0.key == keys.key(of: family.rawValue) }
            changes.append(
                SyncedChange(
                    kind: .family, id: family.rawValue, isManaged: false, family: family,
                    version: active[family] ?? 0, value: nil))
        }
        return changes
    }
}

/// Identity of an entity: changes with the same key concern the same entity.
private struct ChangedEntityKey: Hashable {
    let kind: ChangeKind
    let id: UInt128
    let family: FamilyID?

    init(_ thing: ChangedEntity) {
        kind = thing.kind
        id = thing.id
        family = thing.family
    }
}

extension SyncCursor {
    /// The versions of families that the client has; none of a family that it doesn't have yet.
    fileprivate var knownVersions: [UInt64: Int64] {
        Dictionary(
            families.filter { !$0.isNew }.map { ($0.key, $0.version) },
            uniquingKeysWith: { one, _ in one })
    }

    /// Marks families to be sent again if the subject's own membership in them has changed. Returns
    /// whether there are any.
    fileprivate mutating func sendAgain(familiesOf things: ArraySlice<ChangedEntity>) -> Bool {
        var isAny = false
        for thing in things where thing.kind == .family {
            let key = keys.key(of: thing.id)
            guard let index = families.firstIndex(where: { $0.key == key }) else { continue }
            families[index].isSentAgain = true
            if place?.family == key { place = nil }
            isAny = true
        }
        return isAny
    }

    /// Records that a part has been sent up to an entity. A family whose entities are sent for the
    /// first time then has the version with which that began.
    fileprivate mutating func stop(_ part: SyncPart, after last: ChangedEntity) {
        place = part.place(after: last, in: self)
        guard let key = place?.family else {
            if part.from == nil { moment = part.moment }
            return
        }
        if families.contains(where: { $0.key == key }) { return }
        families.append(
            Family(
                key: key, version: part.to, moment: part.moment, isSentAgain: true, isNew: true))
    }

    /// Records that a part has been sent completely.
    fileprivate mutating func finish(_ part: SyncPart) {
        guard let family = part.family else {
            version = part.to
            moment = part.moment
            if place?.family == nil { place = nil }
            return
        }
        let key = keys.key(of: family.rawValue)
        if place?.family == key { place = nil }
        guard let index = families.firstIndex(where: { $0.key == key }) else {
            families.append(Family(key: key, version: part.to, moment: part.moment))
            return
        }
        families[index].version = part.to
        families[index].moment = part.moment
        if part.from == nil {
            families[index].isSentAgain = false
            families[index].isNew = false
        }
    }
}
