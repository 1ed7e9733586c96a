import Foundation

/// A change that can be made offline: the store shows it at once and saves it on disk, and
/// `SyncEngine` sends it when Hearth can be reached.
///
/// ```swift
/// try store.enqueue(.setHouseholdRole(.kid, of: member))
/// ```
public struct Mutation: Sendable, Hashable {
    /// Effect on the entity in the store until Hearth responds.
    enum Effect: Sendable, Hashable {
        /// Applies a merge patch to the entity's JSON; null removes a member (RFC 7396).
        case merge(JSONValue)
        /// Applies a merge patch to the entity's JSON, which is an empty object before the first.
        case patch(JSONValue)
        /// Replaces the entity's JSON.
        case replace(JSONValue)
        /// Removes the entity.
        case remove
        /// Changes nothing until Hearth responds.
        case none
    }

    /// Kind of the change, to show in a list of queued changes.
    public let kind: MutationKind
    let method: String
    let path: String
    var query: [String: String] = [:]
    let body: JSONValue?
    /// Entity that the mutation changes.
    let target: EntityKey?
    let effect: Effect
    /// Further entities that the mutation changes.
    var further: [FurtherEffect] = []
    /// Whether Hearth responds with the entity's new state.
    var answersThing = false
    /// Member of Hearth's response that has the id of the entity that the mutation creates. Until
    /// the response arrives, the entity has the provisional id in `target`.
    var createdID: String?

    /// An effect on another entity than the target.
    struct FurtherEffect: Sendable, Hashable {
        let key: EntityKey
        let effect: Effect
    }

    /// All effects, that on the target first.
    var effects: [FurtherEffect] {
        (target.map { [FurtherEffect(key: $0, effect: effect)] } ?? []) + further
    }

    /// Kinds of changes by POST that set a value, or do nothing if they are done already.
    private static let repeatablePosts: Set<MutationKind> = [
        .acceptInvitation, .addGuardian, .approveMember, .createFamily, .declineInvitation,
        .reassignManagedMember, .rejectMember, .updatePlayerDetails,
    ]

    /// Whether the change could be made twice if it is sent again without a known key.
    var couldBeMadeTwice: Bool { method == "POST" && !Self.repeatablePosts.contains(kind) }

    /// Kinds of the entities that the mutation changes.
    var changedKinds: Set<EntityKind> {
        let kinds = Set(effects.map(\.key.kind))
        return kinds.isEmpty ? [.member] : kinds
    }

    /// Changes a member's household role. If others changed it later, their change is kept and a
    /// conflict is reported.
    ///
    /// - Parameter guardian: Member who takes over the children of a guardian who stops being an
    ///   adult.
    public static func setHouseholdRole(
        _ role: HouseholdRole, of member: Member, reassigningManagedTo guardian: MemberID? = nil
    ) -> Mutation {
        var mutation = Mutation(
            kind: .setHouseholdRole, method: "PATCH",
            path: "/api/family/members/\(member.id.inPath)",
            body: .body([
                "householdRole": .string(role.rawValue),
                "reassignManagedTo": guardian.map { .string($0.rawValue) },
            ]), target: EntityKey(member),
            effect: .merge(["household_role": .string(role.rawValue)]))
        mutation.answersThing = true
        return mutation
    }

    /// Removes a member.
    ///
    /// - Parameters:
    ///   - guardian: Member who takes over the children whose guardian is removed.
    ///   - isRotatingCode: If true, the family also gets a new code.
    public static func removeMember(
        _ member: Member, reassigningManagedTo guardian: MemberID? = nil,
        rotatingCode isRotatingCode: Bool = false
    ) -> Mutation {
        var mutation = Mutation(
            kind: .removeMember, method: "DELETE", path: "/api/family/members/\(member.id.inPath)",
            body: nil, target: EntityKey(member), effect: .remove)
        mutation.query["reassignManagedTo"] = guardian?.rawValue
        if isRotatingCode { mutation.query["rotateCode"] = "true" }
        return mutation
    }

    /// Approves a person who waits for approval.
    public static func approveMember(_ member: Member) -> Mutation {
        var mutation = Mutation(
            kind: .approveMember, method: "POST",
            path: "/api/family/members/\(member.id.inPath)/approve", body: [:],
            target: EntityKey(member), effect: .merge(["status": "active"]))
        mutation.answersThing = true
        return mutation
    }

    /// Changes a family's name, home, or whether joining needs approval.
    public static func updateFamily(_ id: FamilyID, _ change: FamilyChange) -> Mutation {
        var mutation = Mutation(
            kind: .updateFamily, method: "PATCH", path: "/api/family/\(id.inPath)",
            body: change.body,
            target: EntityKey(.family, id: id.rawValue), effect: .merge(change.body))
        mutation.answersThing = true
        return mutation
    }

    /// Changes the person's own profile.
    public static func updateProfile(_ id: UserID, _ change: ProfileChange) -> Mutation {
        // Hearth derives these from the name and the role.
        let derived: JSONValue = .body([
            "displayName": change.fullName.map { .string($0) },
            "roleIsDefault": change.role.map { _ in .bool(false) },
        ])
        return Mutation(
            kind: .updateProfile, method: "PATCH", path: "/api/me", body: change.body,
            target: EntityKey(.profile, id: id.rawValue),
            effect: .merge(change.body.merged(derived)))
    }

    /// Adds a child without an account. The store shows the child at once, with a provisional id
    /// (`ID.isProvisional`).
    ///
    /// - Parameter guardian: The person's own membership in the family.
    public static func addManagedMember(
        named name: String, avatarKey: String? = nil, to family: FamilyID,
        guardian: Member? = nil
    ) -> Mutation {
        let id = MemberID.provisional(managed: true)
        let guardians: [JSONValue] =
            guardian.map {
                [
                    [
                        "userId": .string($0.userID.rawValue),
                        "memberId": .string($0.id.rawValue),
                        "displayName": .string($0.displayName), "isPrimary": true,
                    ]
                ]
            } ?? []
        var mutation = Mutation(
            kind: .addManagedMember, method: "POST", path: "/api/family/managed",
            body: .body([
                "displayName": .string(name), "avatarKey": avatarKey.map { .string($0) },
                "familyId": .string(family.rawValue),
            ]), target: EntityKey(.member, family: family.rawValue, id: id.rawValue),
            effect: .replace(
                .body([
                    "id": .string(id.rawValue), "user_id": .string(id.rawValue),
                    "family_unit_id": .string(family.rawValue), "role": "player",
                    "household_role": "kid", "status": "active", "is_managed": true,
                    "display_name": .string(name), "avatar_key": .string(avatarKey ?? ""),
                    "guardians": .array(guardians),
                    "parent_user_id": guardian.map { .string($0.userID.rawValue) },
                ])))
        mutation.createdID = "id"
        mutation.answersThing = true
        return mutation
    }

    /// Changes the name or avatar of a child without an account.
    public static func updateManagedMember(
        _ member: Member, _ change: ManagedMemberChange
    ) -> Mutation {
        var mutation = Mutation(
            kind: .updateManagedMember, method: "PATCH",
            path: "/api/family/managed/\(member.id.inPath)", body: change.body,
            target: EntityKey(member),
            effect: .merge(
                .body([
                    "display_name": change.displayName.map { .string($0) },
                    "avatar_key": .edit(change.avatarKey) { .string($0) },
                ])))
        mutation.answersThing = true
        return mutation
    }

    /// Removes a child without an account.
    public static func removeManagedMember(_ member: Member) -> Mutation {
        Mutation(
            kind: .removeManagedMember, method: "DELETE",
            path: "/api/family/managed/\(member.id.inPath)", body: nil,
            target: EntityKey(member), effect: .remove)
    }

    /// Replaces a person's preferences.
    ///
    /// - Parameter person: The signed-in person, or a child in this person's care.
    public static func setPreferences(
        _ preferences: JSONValue, in family: FamilyID, of person: UserID
    ) -> Mutation {
        var mutation = Mutation(
            kind: .setPreferences, method: "PUT", path: "/groups/\(family.inPath)/preferences",
            body: preferences,
            target: EntityKey(.preferences, family: family.rawValue, id: person.rawValue),
            effect: .replace(preferences))
        mutation.query = ["member_id": person.rawValue]
        return mutation
    }

    /// Changes the details that a family stores about its player.
    public static func updatePlayerDetails(
        _ change: PlayerDetailsChange, in family: FamilyID
    ) -> Mutation {
        Mutation(
            kind: .updatePlayerDetails, method: "POST", path: "/api/family/player-details",
            body: change.body(in: family),
            target: EntityKey(.playerDetails, family: family.rawValue, id: family.rawValue),
            effect: .merge(change.body(in: nil)))
    }

    /// Revokes a pending invitation.
    public static func revokeInvitation(_ invitation: Invitation) -> Mutation {
        Mutation(
            kind: .revokeInvitation, method: "DELETE",
            path: "/api/family/invitations/\(invitation.id.inPath)", body: nil,
            target: EntityKey(
                .invitation, family: invitation.familyID.rawValue, id: invitation.id.rawValue),
            effect: .remove)
    }
}

extension EntityKey {
    init(_ member: Member) {
        self.init(.member, family: member.familyID.rawValue, id: member.id.rawValue)
    }
}

extension Mutation {
    /// The mutation, encoded for the queue.
    var json: JSONValue {
        .body([
            "kind": .string(kind.rawValue), "method": .string(method), "path": .string(path),
            "query": .object(query.mapValues { .string($0) }), "body": body,
            "target": target?.json, "effect": effect.json, "answersThing": .bool(answersThing),
            "further": further.isEmpty
                ? nil : .array(further.map { ["key": $0.key.json, "effect": $0.effect.json] }),
            "createdID": createdID.map { .string($0) },
        ])
    }

    /// Decodes a queued mutation; nil if only another release of the library can read it.
    init?(_ json: JSONValue) {
        guard let method = json["method"]?.stringValue, let path = json["path"]?.stringValue,
            let effect = json["effect"].flatMap(Effect.init)
        else { return nil }
        var further: [FurtherEffect] = []
        for element in json["further"]?.arrayValue ?? [] {
            guard let key = element["key"].flatMap(EntityKey.init),
                let effect = element["effect"].flatMap(Effect.init)
            else { return nil }
            further.append(FurtherEffect(key: key, effect: effect))
        }
        self.init(
            kind: MutationKind(stored: json["kind"]?.stringValue ?? ""), method: method,
            path: path, query: json["query"]?.objectValue?.compactMapValues(\.stringValue) ?? [:],
            body: json["body"], target: json["target"].flatMap(EntityKey.init), effect: effect,
            further: further, answersThing: json["answersThing"]?.boolValue ?? false,
            createdID: json["createdID"]?.stringValue)
    }
}

extension Mutation.Effect {
    fileprivate var json: JSONValue {
        switch self {
        case .merge(let patch): ["merge": patch]
        case .patch(let patch): ["patch": patch]
        case .replace(let value): ["replace": value]
        case .remove: "remove"
        case .none: "none"
        }
    }

    fileprivate init?(_ json: JSONValue) {
        if let patch = json["merge"] {
            self = .merge(patch)
        } else if let patch = json["patch"] {
            self = .patch(patch)
        } else if let value = json["replace"] {
            self = .replace(value)
        } else if json == "remove" {
            self = .remove
        } else if json == "none" {
            self = .none
        } else {
            return nil
        }
    }

    /// Returns the entity's JSON with the effect applied; nil if there is no entity.
    func applied(to value: JSONValue?) -> JSONValue? {
        switch self {
        case .merge(let patch): value?.merged(patch)
        case .patch(let patch): (value ?? [:]).merged(patch)
        case .replace(let value): value
        case .remove: nil
        case .none: value
        }
    }
}

extension JSONValue {
    /// Returns the value with a merge patch applied (RFC 7396).
    func merged(_ patch: JSONValue) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        var members = objectValue ?? [:]
        for (name, change) in changes {
            if change == .null {
                members.removeValue(forKey: name)
            } else {
                members[name] = (members[name] ?? .null).merged(change)
            }
        }
        return .object(members)
    }
}
