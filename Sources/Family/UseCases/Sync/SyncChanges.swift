package import Crypto
import Domain
import Policy
import Postgres
import Repositories

/// Returns the changes for a client since its last request: its own data, its families, the
/// children it guards and the invitations it has received. If a guardian acts for a child, returns
/// only changes that the child may see.
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
        /// Versions that the client has now; a wait ends when one of them changes.
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
            .map { try withCurrentID($0, by: context, state, server) }
        var cursor = given ?? state.newCursor
        var isReset = given == nil || !state.continues(cursor)
        var collected: [SyncedChange] = []
        if !isReset {
            if let leftFamilies = try familiesLeft(by: context, &cursor, state, server) {
                collected = leftFamilies
            } else {
                isReset = true
            }
        }
        if isReset, given != nil, !server.isCurrent { return nil }
        if isReset { cursor = state.newCursor }
        let known = cursor.knownVersions
        guard let (entities, hasMore) = try entities(for: context, &cursor, state, server) else {
            return try server.isCurrent ? page(by: context, cursor: nil, from: server) : nil
        }
        collected += Self.familiesLeftSinceRead(entities, besides: collected, state)
        collected += try values(of: entities, for: context, &cursor, state, known, server)
        guard let changes = try withLeavingVersions(collected, for: context, server) else {
            return try server.isCurrent ? page(by: context, cursor: nil, from: server) : nil
        }
        return Page(
            changes: changes, cursor: try cursor.text(by: key), hasMore: hasMore,
            isReset: isReset, watched: state.watched)
    }

    /// Replaces an earlier id of the account in a cursor by the present id.
    private func withCurrentID(
        _ cursor: SyncCursor, by context: RequestContext, _ state: SyncState,
        _ server: any ReadServer
    ) throws -> SyncCursor {
        guard let user = state.subject.user, cursor.subject != user.rawValue else { return cursor }
        let wasOwn = try server.run(
            Read(by: context) { batch in
                let key = batch.add(Accounts.wasIDOf, user, UserID(rawValue: cursor.subject))
                return { results, _ in try results.row(key).value }
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
        let leftFamilies = cursor.families.filter { !active.contains($0.key) }
        if let key = cursor.position?.family, !active.contains(key) { cursor.position = nil }
        if leftFamilies.isEmpty { return [] }
        let former = try server.run(
            Read(by: context) { batch in
                let former = batch.add(Changes.formerFamilies)
                return { results, _ in try results.rows(former).map(\.value) }
            })
        cursor.families.removeAll { !active.contains($0.key) }
        var changes: [SyncedChange] = []
        for family in leftFamilies {
            guard let id = former.first(where: { keys.key(of: $0.rawValue) == family.key })
            else { return nil }
            changes.append(
                SyncedChange(
                    kind: .family, id: id.rawValue, isManaged: false, family: id,
                    version: family.version, value: nil))
        }
        return changes
    }

    /// Returns families that the subject has left according to its own changes, but that the cursor
    /// does not record as completely sent.
    private static func familiesLeftSinceRead(
        _ entities: [ChangedEntity], besides reported: [SyncedChange], _ state: SyncState
    ) -> [SyncedChange] {
        let known = Set(state.families.map(\.id) + reported.map(\.id))
        return entities.filter { $0.kind == .family && !known.contains($0.id) }.map { entity in
            SyncedChange(
                kind: .family, id: entity.id, isManaged: false, family: entity.family, version: 0,
                value: nil)
        }
    }

    /// Returns the changes. Each left family gets the version at which the subject left it, which
    /// is newer than the client's data. Nil if one of the memberships is active again.
    private func withLeavingVersions(
        _ changes: [SyncedChange], for context: RequestContext, _ server: any ReadServer
    ) throws -> [SyncedChange]? {
        let removals = changes.filter { $0.kind == .family && $0.value == nil }
        if removals.isEmpty { return changes }
        let rows = try server.run(
            Read(by: context) { batch in
                let rows = batch.add(Changes.versionsOnLeaving, removals.map(\.id))
                return { results, _ in try results.rows(rows) }
            })
        let versions = Dictionary(
            rows.map(\.values), uniquingKeysWith: { max($0, $1) })
        var dated: [SyncedChange] = []
        for change in changes {
            guard change.kind == .family, change.value == nil else {
                dated.append(change)
                continue
            }
            // If there is none, the person has entered again since this was read, or the membership
            // was erased: the version that the client has may be newer than the one in the cursor.
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
    /// Nil if changes after the cursor were purged while they were read, or if a restore or
    /// failover has undone some.
    private func entities(
        for context: RequestContext, _ cursor: inout SyncCursor, _ state: SyncState,
        _ server: any ReadServer
    ) throws -> (entities: [ChangedEntity], hasMore: Bool)? {
        let parts = SyncPart.all(of: cursor, in: state)
        if parts.isEmpty { return ([], false) }
        let (origins, lists, stateAfter) = try server.run(
            Read(by: context) { [limit] batch in
                let origins = parts.map { $0.origin(in: &batch) }
                let keys = parts.map { $0.entities(Int32(limit + 1), in: &batch) }
                let stateAfter = SyncState.reading(&batch)
                return { results, subject in
                    (
                        try origins.map { try $0.map { try results.row($0).value } },
                        try keys.map { try results.rows($0) }, try stateAfter(results, subject)
                    )
                }
            })
        guard stateAfter.continues(cursor),
            zip(parts, origins).allSatisfy({ part, origin in
                origin.map { !part.fromMoment.isOther(than: VersionTime($0)) } ?? true
            })
        else { return nil }
        var entities: [ChangedEntity] = []
        for (part, list) in zip(parts, lists) {
            let remaining = limit - entities.count
            let sent = list.prefix(remaining)
            entities += sent
            // If families are marked, the list of parts changes, and the next page begins with the
            // new list.
            let startsAgain = part.family == nil && cursor.markForResending(familiesOf: sent)
            if list.count > remaining {
                if let last = sent.last { cursor.stop(part, after: last) }
                return (entities, true)
            }
            cursor.finish(part)
            if startsAgain { return (entities, true) }
        }
        let isComplete = state.families.allSatisfy { family in
            let key = cursor.keys.key(of: family.id)
            return cursor.families.contains { $0.key == key && !$0.isResent }
        }
        return (entities, !isComplete)
    }

    /// Reads the entities as the caller may see them.
    private func values(
        of entities: [ChangedEntity], for context: RequestContext, _ cursor: inout SyncCursor,
        _ state: SyncState, _ known: [UInt64: Int64], _ server: any ReadServer
    ) throws -> [SyncedChange] {
        let active = Dictionary(
            uniqueKeysWithValues: state.families.map { (FamilyID(rawValue: $0.id), $0.version) })
        let keys = cursor.keys
        // Nothing about a family that was left is sent.
        let own = entities.filter { entity in entity.family.map { active[$0] != nil } ?? true }
        if own.isEmpty { return [] }
        let values = try server.run(
            Read(by: context) { SyncedValues.reading(own, &$0) })
        var changes: [SyncedChange] = []
        var reported: Set<EntityKey> = []
        for entity in own.reversed() where reported.insert(EntityKey(entity)).inserted {
            if let family = entity.family, values.families[family] == nil { continue }
            let isOwn = entity.family == nil || entity.kind == .preferences
            let value = values.value(
                of: entity, after: entity.family.flatMap { known[keys.key(of: $0.rawValue)] })
            changes += SyncedChange.all(
                of: entity, isOwn ? entity.version : entity.family.flatMap { active[$0] } ?? 0,
                value)
        }
        changes.reverse()
        // The family was left since the versions were read: all of it is removed, nothing else is
        // sent.
        let leftFamilies = Set(own.compactMap(\.family)).filter { values.families[$0] == nil }
        for family in leftFamilies.sorted(by: { $0.rawValue < $1.rawValue }) {
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
private struct EntityKey: Hashable {
    let kind: ChangeKind
    let id: UInt128
    let family: FamilyID?

    init(_ entity: ChangedEntity) {
        kind = entity.kind
        id = entity.id
        family = entity.family
    }
}

extension SyncCursor {
    /// The versions of families that the client has, without families of which it has no data yet.
    fileprivate var knownVersions: [UInt64: Int64] {
        Dictionary(
            families.filter { !$0.isNew }.map { ($0.key, $0.version) },
            uniquingKeysWith: { one, _ in one })
    }

    /// Marks families to be sent again if the subject's own membership in them has changed. Returns
    /// whether there are any.
    fileprivate mutating func markForResending(familiesOf entities: ArraySlice<ChangedEntity>)
        -> Bool
    {
        var isAny = false
        for entity in entities where entity.kind == .family {
            let key = keys.key(of: entity.id)
            guard let index = families.firstIndex(where: { $0.key == key }) else { continue }
            families[index].isResent = true
            if position?.family == key { position = nil }
            isAny = true
        }
        return isAny
    }

    /// Records that a part has been sent up to an entity. A family whose entities are sent for the
    /// first time gets the version at which sending began.
    fileprivate mutating func stop(_ part: SyncPart, after last: ChangedEntity) {
        position = part.position(after: last, in: self)
        guard let key = position?.family else {
            if part.from == nil { moment = part.moment }
            return
        }
        if families.contains(where: { $0.key == key }) { return }
        families.append(
            Family(
                key: key, version: part.to, moment: part.moment, isResent: true, isNew: true))
    }

    /// Records that a part has been sent completely.
    fileprivate mutating func finish(_ part: SyncPart) {
        guard let family = part.family else {
            version = part.to
            moment = part.moment
            if position?.family == nil { position = nil }
            return
        }
        let key = keys.key(of: family.rawValue)
        if position?.family == key { position = nil }
        guard let index = families.firstIndex(where: { $0.key == key }) else {
            families.append(Family(key: key, version: part.to, moment: part.moment))
            return
        }
        families[index].version = part.to
        families[index].moment = part.moment
        if part.from == nil {
            families[index].isResent = false
            families[index].isNew = false
        }
    }
}
