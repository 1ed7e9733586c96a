import Foundation
import Testing

/// TribeBoard's design: services, view models, data models, errors.
enum TribeBoardDesign {
    static let document = AppDocument(
        "TribeBoard: design",
        [
            authService, sessions, cloudService, codes, creatingViewModel, joiningViewModel,
            roleViewModel,
            dashboardViewModel, familyModel, profileModel, membershipModel, enums, records,
            errorTypes, strategy, integration, security, performance, live,
        ],
        onTheDevice: [
            DeviceMatter("Architecture", "SwiftUI, view models, SwiftData", "the app's own code"),
            DeviceMatter("KeychainService", "store, retrieve, delete", "storage of the device"),
            DeviceMatter(
                "Data Models", "`ckRecordID`, `lastSyncDate`", "the device's own bookkeeping"),
            DeviceMatter("CloudKit Schema", "containers, zones, record types", "part of CloudKit"),
            DeviceMatter("Error Handling", "showing cached data, banners", "storage and screens"),
            DeviceMatter("Testing Strategy", "mocks of Apple's classes, UI tests", "development"),
            DeviceMatter("Security", "Keychain, privacy policy", "storage, and the app's own text"),
            DeviceMatter("Privacy", "reading QR codes on the device", "no image is ever sent"),
            DeviceMatter("UI Performance", "main thread, caching of images", "the app's own code"),
            DeviceMatter("Implementation Phases", "the order of the work", "development"),
        ])

    // The models, with the names of the document; `init` builds them from the API's responses, as
    // the app's services do.

    enum Role: String, CaseIterable, Codable {
        case parentAdmin = "parent_admin"
        case adult, kid, visitor
    }

    enum MembershipStatus: String, Codable { case active, invited, removed }

    struct UserProfile: Decodable {
        let id: UUID
        let displayName: String
        let avatarUrl: URL?
    }

    struct Family: Decodable {
        let id: UUID
        let name, code: String
        let createdByUserId: UUID
        let createdAt: Date

        enum CodingKeys: String, CodingKey {
            case id = "familyId"
            case name = "familyName"
            case code = "familyCode"
            case createdByUserId, createdAt
        }
    }

    struct Families: Decodable { let families: [Family] }

    struct Membership: Decodable {
        let id, familyId, userId: UUID
        let role: Role
        let joinedAt: Date
        let status: MembershipStatus

        enum CodingKeys: String, CodingKey {
            case id, status
            case familyId = "family_unit_id"
            case userId = "user_id"
            case role = "household_role"
            case joinedAt = "added_at"
        }
    }

    struct Memberships: Decodable { let members: [Membership] }
}

extension Answer {
    /// Decodes the body as TribeBoard does: times as `Date`.
    func decodedWithDates<Value: Decodable>(_: Value.Type) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoded(Value.self, by: decoder)
    }
}

extension Phone {
    /// Creates the phone of a new person who signed in with Apple.
    static func apple(_ name: String? = "Jo") throws -> Phone {
        try Phone(name: name, from: .apple)
    }

    func setRole(
        _ role: String, of member: String, expect status: Int = 200, saying message: String? = nil
    ) async throws -> Answer {
        try await patch(
            "/api/family/members/\(member)", ["householdRole": role], expect: status,
            saying: message)
    }
}
