import Domain
import Postgres
import Repositories

/// One of the lists that make up a response: the subject's own entities or a family's, all of them
/// or those that have changed.
struct SyncPart: Sendable {
    /// The family; nil for the subject's own entities.
    let family: FamilyID?
    /// Version after which the changes begin; nil for all entities.
    let from: Int64?
    /// Time of `from`, as the client knows it.
    var fromMoment = VersionTime.unknown
    let to: Int64
    /// Time of `to`.
    let moment: VersionTime
    /// Position after which the list continues.
    let position: SyncCursor.Position?

    /// Returns the parts that are still to be sent, in the order in which they are sent.
    static func all(of cursor: SyncCursor, in state: SyncState) -> [SyncPart] {
        var parts: [SyncPart] = []
        let ownPosition = cursor.position.flatMap { $0.family == nil ? $0 : nil }
        if let version = cursor.version {
            if let own = state.own, own.version > version {
                parts.append(
                    SyncPart(
                        family: nil, from: version, fromMoment: cursor.moment, to: own.version,
                        moment: VersionTime(own.raisedAt), position: ownPosition))
            }
        } else if let base = ownPosition?.base {
            parts.append(
                SyncPart(
                    family: nil, from: nil, to: base, moment: cursor.moment, position: ownPosition))
        } else {
            parts.append(
                SyncPart(
                    family: nil, from: nil, to: state.own?.version ?? 0,
                    moment: VersionTime(state.own?.raisedAt), position: ownPosition))
        }
        return parts + state.families.flatMap { Self.parts(of: $0, in: cursor) }
    }

    /// Returns the parts of a family that are still to be sent.
    ///
    /// A family that is sent again is treated as sent at the version that the client knew before.
    /// The changes after that version follow, because only changes report entities that were
    /// removed since.
    private static func parts(of family: FollowedVersion, in cursor: SyncCursor) -> [SyncPart] {
        let key = cursor.keys.key(of: family.id)
        let id = FamilyID(rawValue: family.id)
        let moment = VersionTime(family.raisedAt)
        guard let known = cursor.families.first(where: { $0.key == key }) else {
            return [
                SyncPart(
                    family: id, from: nil, to: family.version, moment: moment, position: nil)
            ]
        }
        let position = cursor.position.flatMap { $0.family == key ? $0 : nil }
        let isOfFullList = position?.base != nil
        var parts: [SyncPart] = []
        if known.isResent {
            parts.append(
                SyncPart(
                    family: id, from: nil, to: known.version, moment: known.moment,
                    position: isOfFullList ? position : nil))
        }
        if known.version < family.version {
            parts.append(
                SyncPart(
                    family: id, from: known.version, fromMoment: known.moment,
                    to: family.version, moment: moment, position: isOfFullList ? nil : position))
        }
        return parts
    }

    /// Adds the statement that lists the entities, up to a maximum number.
    func entities(_ limit: Int32, in batch: inout Batch) -> Batch.ResultKey<ChangedEntity> {
        let (kind, id) = (position?.kind.rawValue ?? "", position?.id ?? 0)
        switch (family, from) {
        case (nil, nil):
            return batch.add(Changes.allOwn, to, kind, id, position?.familyID ?? 0, limit)
        case (nil, let from?):
            return batch.add(
                Changes.ownSince, from, to, position?.version ?? 0, kind, id,
                position?.familyID ?? 0,
                limit)
        case (let family?, nil):
            return batch.add(Changes.allOfFamily, family, to, kind, id, limit)
        case (let family?, let from?):
            return batch.add(
                Changes.ofFamilySince, family, from, to, position?.version ?? 0, kind, id, limit)
        }
    }

    /// Adds the statement that reads the time at which `from` was assigned; nil if the client knows
    /// no time to compare.
    func origin(in batch: inout Batch) -> Batch.ResultKey<Scalar<Timestamp?>>? {
        guard let from, fromMoment != .unknown else { return nil }
        return family.map { batch.add(Changes.familyVersionRaisedAt, $0, from) }
            ?? batch.add(Changes.myVersionRaisedAt, from)
    }

    /// Returns the position of an entity, after which the list continues.
    func position(after entity: ChangedEntity, in cursor: SyncCursor) -> SyncCursor.Position {
        SyncCursor.Position(
            family: family.map { cursor.keys.key(of: $0.rawValue) }, base: from == nil ? to : nil,
            version: entity.version, kind: entity.kind, id: entity.id,
            familyID: entity.family?.rawValue ?? entity.id)
    }
}
