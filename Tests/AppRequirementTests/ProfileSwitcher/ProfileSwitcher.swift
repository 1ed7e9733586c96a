import Testing

/// Family Movie Night's switcher between one's own profile and those of managed members.
enum ProfileSwitcher {
    static let document = AppDocument(
        "Family Movie Night: profile switcher",
        [
            overview, flow, session, models, states, navigation, requests, groupLoading,
            preferences, attribution, adding, questions, checklist,
        ],
        onTheDevice: [
            DeviceMatter("Overview, Flow 12", "sheet, detents, haptics, announcements", "screens"),
            DeviceMatter("Flow 12", "the switch itself", "happens in memory, without a request"),
            DeviceMatter("Components", "layout, typography, colours, spacing", "screens"),
            DeviceMatter("States 1, 4, 6", "loading, animation, text of a failed load", "screens"),
            DeviceMatter("Interaction Details", "animations, Reduce Motion", "screens"),
            DeviceMatter("Accessibility", "VoiceOver, Dynamic Type, contrast", "screens"),
            DeviceMatter("Integration", "injection into views, banners", "the app's own code"),
            DeviceMatter(
                "Offline Behavior", "cached profiles, stacked banners", "the app's memory"),
            DeviceMatter("Preview Variants", "previews", "development"),
            DeviceMatter("OQ-1, OQ-6", "detents, timing of the crossfade", "screens"),
            DeviceMatter(
                "OQ-2", "where \"Sign Out\" stands; signing out of Cognito",
                "screens, and the provider's session"),
        ])

    // The models, with the names and optionals of the document and, for what it calls "existing
    // fields unchanged", of the app itself. Its decoder turns snake_case into camelCase.

    struct Group: Decodable {
        let groupId, name, createdBy: String
        let streamingServices: [String]
        let memberCount: Int
        let createdAt: String
        let members: [GroupMember]
    }

    struct GroupMember: Decodable {
        let userId, displayName, avatarKey, role, joinedAt: String
        let isManaged: Bool?
        let parentUserId, memberType: String?
    }

    struct Preference: Decodable {
        let userId, groupId: String
        let genreLikes, genreDislikes: [String]
        let maxContentRating, updatedAt: String?
    }

    /// The switcher's model of a group's member.
    struct SwitchableProfile: Equatable, Decodable {
        let memberId, displayName, avatarKey: String
        let isManaged: Bool
        let parentUserId: String?

        init(_ member: GroupMember) {
            memberId = member.userId
            displayName = member.displayName
            avatarKey = member.avatarKey
            isManaged = member.isManaged ?? false
            parentUserId = member.parentUserId
        }
    }

    struct ProfilesResponse: Decodable { let profiles: [SwitchableProfile] }
}

extension Phone {
    /// Loads the group as the app does when it starts.
    func loadMyGroup() async throws -> ProfileSwitcher.Group {
        try await get("/groups/me").decodedFromSnakeCase(ProfileSwitcher.Group.self)
    }

    /// The profiles that the app offers: one's own, and those of the children one guards.
    func switchableProfiles() async throws -> [ProfileSwitcher.SwitchableProfile] {
        let members = try await loadMyGroup().members
        let own = members.filter { $0.userId == userID }
        let managed = members.filter { $0.isManaged == true && $0.parentUserId == userID }
        return (own + managed).map { ProfileSwitcher.SwitchableProfile($0) }
    }

    @discardableResult
    func putPreferences(
        _ group: String, of member: String? = nil, likes: String = "28", expect status: Int = 200
    ) async throws -> Answer {
        let json = #"""
            {"genre_likes": ["\#(likes)", "35"], "genre_dislikes": ["27"], "max_content_rating": "PG"}
            """#
        let query = member.map { "?member_id=\($0)" } ?? ""
        return try await send(
            "PUT", "/groups/\(group)/preferences\(query)", json: json, expect: status)
    }
}
