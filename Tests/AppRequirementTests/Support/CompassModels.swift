// The models of Recruiting Compass, with the names and optionals of its documents.

/// Recruiting Compass's models, under the names in its documents.
enum Compass {
    struct FamilyUnit: Decodable {
        let id: String
        let createdByUserId: String
        let familyName, familyCode, codeGeneratedAt, createdAt, updatedAt: String?
        let homeLatitude, homeLongitude: Double?

        enum CodingKeys: String, CodingKey {
            case id
            case createdByUserId = "created_by_user_id"
            case familyName = "family_name"
            case familyCode = "family_code"
            case codeGeneratedAt = "code_generated_at"
            case createdAt = "created_at"
            case updatedAt = "updated_at"
            case homeLatitude = "home_latitude"
            case homeLongitude = "home_longitude"
        }
    }

    struct FamilyMemberUser: Decodable {
        let id, email: String
        let fullName: String?
        let role: String

        enum CodingKeys: String, CodingKey {
            case id, email, role
            case fullName = "full_name"
        }
    }

    struct FamilyMember: Decodable {
        let id, familyUnitId, userId, role, addedAt: String
        let user: FamilyMemberUser

        enum CodingKeys: String, CodingKey {
            case id, role
            case familyUnitId = "family_unit_id"
            case userId = "user_id"
            case addedAt = "added_at"
            // The page's model names the property `user`, its route `users`.
            case user = "users"
        }
    }

    struct MembersResponse: Decodable { let members: [FamilyMember] }

    struct ParentFamilyData: Decodable {
        let familyId, familyCode, familyName, codeGeneratedAt: String
    }

    struct FamiliesResponse: Decodable { let families: [ParentFamilyData] }

    /// A row of a user's memberships as the direct query returns it, with the family embedded.
    struct ParentFamilyMembership: Decodable {
        struct Unit: Decodable { let id, family_code, family_name, code_generated_at: String }
        let family_unit_id: String
        let family_units: Unit
    }

    struct MemberRow: Decodable { let family_unit_id: String }

    struct CreateFamilyResponse: Decodable {
        let success: Bool
        let familyCode, familyId: String
        let familyName: String?
    }

    struct JoinResponse: Decodable { let message: String }
    struct RegenerateFamilyCodeResponse: Decodable { let familyCode: String }
    struct RemoveResponse: Decodable { let success: Bool }

    struct FamilyInvitation: Decodable {
        let id, familyUnitId, invitedBy, invitedEmail, role, token, status: String
        let expiresAt, createdAt: String
        let acceptedAt: String?

        enum CodingKeys: String, CodingKey {
            case id, role, token, status
            case familyUnitId = "family_unit_id"
            case invitedBy = "invited_by"
            case invitedEmail = "invited_email"
            case expiresAt = "expires_at"
            case createdAt = "created_at"
            case acceptedAt = "accepted_at"
        }
    }

    struct InvitationsResponse: Decodable { let invitations: [FamilyInvitation] }

    struct InviteDetails: Decodable {
        let invitationId, email, role, familyName, inviterName: String
    }
}
