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
        /// Replaces the entity's JSON.
        case replace(JSONValue)
        /// Removes the entity.
        case remove
        /// Changes nothing until Hearth responds.
        case none
    }

    let method: String
    let path: String
    var query: [String: String] = [:]
    let body: JSONValue?
    /// Entity that the mutation changes.
    let target: EntityKey?
    let effect: Effect
    /// Whether Hearth responds with the entity's new state.
    var answersThing = false

    /// Changes a member's household role. If others changed it later, their change is kept and a
    /// conflict is reported.
    public static func setHouseholdRole(_ role: HouseholdRole, of member: Member) -> Mutation {
        var mutation = Mutation(
            method: "PATCH", path: "/api/family/members/\(member.id.inPath)",
            body: ["householdRole": .string(role.rawValue)], target: EntityKey(member),
            effect: .merge(["household_role": .string(role.rawValue)]))
        mutation.answersThing = true
        return mutation
    }

    /// Removes a member.
    public static func removeMember(_ member: Member) -> Mutation {
        Mutation(
            method: "DELETE", path: "/api/family/members/\(member.id.inPath)", body: nil,
            target: EntityKey(member), effect: .remove)
    }

    /// Approves a person who waits.
    public static func approveMember(_ member: Member) -> Mutation {
        var mutation = Mutation(
            method: "POST", path: "/api/family/members/\(member.id.inPath)/approve", body: [:],
            target: EntityKey(member), effect: .merge(["status": "active"]))
        mutation.answersThing = true
        return mutation
    }

    /// Changes a family's name, home, or whether joining needs approval.
    public static func updateFamily(_ id: FamilyID, _ change: FamilyChange) -> Mutation {
        var mutation = Mutation(
            method: "PATCH", path: "/api/family/\(id.inPath)", body: change.body,
            target: EntityKey(.family, id: id.rawValue), effect: .merge(change.body))
        mutation.answersThing = true
        return mutation
    }

    /// Changes the person's own profile.
    public static func updateProfile(_ id: UserID, _ change: ProfileChange) -> Mutation {
        Mutation(
            method: "PATCH", path: "/api/me", body: change.body,
            target: EntityKey(.profile, id: id.rawValue), effect: .merge(change.body))
    }

    /// Adds a child without an account. The child appears once Hearth has responded.
    public static func addManagedMember(
        named name: String, avatarKey: String? = nil, to family: FamilyID
    ) -> Mutation {
        Mutation(
            method: "POST", path: "/api/family/managed",
            body: .body([
                "displayName": .string(name), "avatarKey": avatarKey.map { .string($0) },
                "familyId": .string(family.rawValue),
            ]), target: nil, effect: .none)
    }

    /// Changes the name or avatar of a child without an account.
    public static func updateManagedMember(
        _ member: Member, _ change: ManagedMemberChange
    ) -> Mutation {
        var mutation = Mutation(
            method: "PATCH", path: "/api/family/managed/\(member.id.inPath)", body: change.body,
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
            method: "DELETE", path: "/api/family/managed/\(member.id.inPath)", body: nil,
            target: EntityKey(member), effect: .remove)
    }

    /// Replaces a user's preferences.
    ///
    /// - Parameter user: The person itself, or a child whose guardian it is.
    public static func setPreferences(
        _ preferences: JSONValue, in family: FamilyID, of user: UserID
    ) -> Mutation {
        var mutation = Mutation(
            method: "PUT", path: "/groups/\(family.inPath)/preferences", body: preferences,
            target: EntityKey(.preferences, family: family.rawValue, id: user.rawValue),
            effect: .replace(preferences))
        mutation.query = ["member_id": user.rawValue]
        return mutation
    }

    /// Changes the details that a family stores about its player.
    public static func updatePlayerDetails(
        _ change: PlayerDetailsChange, in family: FamilyID
    ) -> Mutation {
        Mutation(
            method: "POST", path: "/api/family/player-details", body: change.body(in: family),
            target: EntityKey(.playerDetails, family: family.rawValue, id: family.rawValue),
            effect: .merge(change.body(in: nil)))
    }

    /// Revokes a pending invitation.
    public static func revokeInvitation(_ invitation: Invitation) -> Mutation {
        Mutation(
            method: "DELETE", path: "/api/family/invitations/\(invitation.id.inPath)", body: nil,
            target: EntityKey(
                .invitation, family: invitation.familyID.rawValue, id: invitation.id.rawValue),
            effect: .remove)
    }
}

extension EntityKey {
    fileprivate init(_ member: Member) {
        self.init(.member, family: member.familyID.rawValue, id: member.id.rawValue)
    }
}

extension Mutation {
    /// The mutation, encoded for the queue.
    var json: JSONValue {
        .body([
            "method": .string(method), "path": .string(path),
            "query": .object(query.mapValues { .string($0) }), "body": body,
            "target": target?.json, "effect": effect.json, "answersThing": .bool(answersThing),
        ])
    }

    /// Decodes a queued mutation; nil if only another release of the library can read it.
    init?(_ json: JSONValue) {
        guard let method = json["method"]?.stringValue, let path = json["path"]?.stringValue,
            let effect = json["effect"].flatMap(Effect.init)
        else { return nil }
        self.init(
            method: method, path: path,
            query: json["query"]?.objectValue?.compactMapValues(\.stringValue) ?? [:],
            body: json["body"], target: json["target"].flatMap(EntityKey.init), effect: effect,
            answersThing: json["answersThing"]?.boolValue ?? false)
    }
}

extension Mutation.Effect {
    fileprivate var json: JSONValue {
        switch self {
        case .merge(let patch): ["merge": patch]
        case .replace(let value): ["replace": value]
        case .remove: "remove"
        case .none: "none"
        }
    }

    fileprivate init?(_ json: JSONValue) {
        if let patch = json["merge"] {
            self = .merge(patch)
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
            members[name] = change == .null ? nil : (members[name] ?? .null).merged(change)
        }
        return .object(members)
    }
}
