public import Foundation

extension Hearth {
    /// Creates a family, or returns the one that the caller has: a screen that finds no family can
    /// always call this.
    ///
    /// - Parameters:
    ///   - name: Chosen by Hearth if left out.
    ///   - role: The caller's side in the family; the account's own side if left out.
    @discardableResult
    public func createFamily(
        named name: String? = nil, as role: MemberRole? = nil
    ) async throws -> CreatedFamily {
        try await value(
            .post(
                "/api/family/create",
                .body([
                    "familyName": name.map { .string($0) },
                    "role": role.map { .string($0.rawValue) },
                ])))
    }

    /// Creates another family.
    @discardableResult
    public func createAnotherFamily(named name: String) async throws -> CreatedFamily {
        try await value(.post("/api/families", ["familyName": .string(name)]))
    }

    /// Returns the families that the caller belongs to, at most 100.
    public func families() async throws -> [Family] {
        try await list("families", .get("/api/family"))
    }

    /// Returns one of the caller's families.
    public func family(_ id: FamilyID) async throws -> Family {
        try await value(.get("/api/family/\(id.inPath)"))
    }

    /// Changes a family's name, home, or whether joining needs approval.
    @discardableResult
    public func updateFamily(_ id: FamilyID, _ change: FamilyChange) async throws -> Family {
        try await value(.patch("/api/family/\(id.inPath)", change.body))
    }

    /// Returns the family's join link as a QR code image.
    public func qrCode(of family: FamilyID, as format: QRCodeFormat = .png) async throws -> Data {
        var call = Call.get("/api/family/\(family.inPath)/qr.\(format.rawValue)")
        call.headers["Accept"] = format == .png ? "image/png" : "image/svg+xml"
        return try await perform(call).body
    }

    /// Returns a family as a group of people.
    public func group(_ id: FamilyID) async throws -> FamilyGroup {
        try await value(.get("/groups/\(id.inPath)"))
    }

    /// Returns the caller's family as a group; if there are several, the oldest one with other
    /// members. Nil if the caller is in no family.
    public func ownGroup() async throws -> FamilyGroup? {
        let answer: OwnGroupResponse = try await value(.get("/groups/me"))
        return answer.group
    }

    /// Returns the attributes that the app stores with a family; an empty object if there are none.
    public func attributes(of family: FamilyID) async throws -> JSONValue {
        try await json(.get("/api/family/\(family.inPath)/attributes"))
    }

    /// Changes the attributes of a family by a merge patch (RFC 7396): members of the patch replace
    /// those of the attributes, and null removes them.
    ///
    /// - Returns: All attributes of the family, at most 16 KiB.
    @discardableResult
    public func updateAttributes(
        _ patch: JSONValue, of family: FamilyID
    ) async throws -> JSONValue {
        var call = Call.patch("/api/family/\(family.inPath)/attributes", patch)
        call.headers["Content-Type"] = "application/merge-patch+json"
        return try await json(call)
    }

    /// Returns a family's audit log, newest first.
    ///
    /// - Parameters:
    ///   - family: Can be left out by a member of exactly one family.
    ///   - cursor: The previous page's `nextCursor`.
    ///   - limit: 1 to 100 entries; 50 if left out.
    public func auditTrail(
        of family: FamilyID? = nil, after cursor: String? = nil, limit: Int? = nil
    ) async throws -> Page<AuditEntry> {
        try await page(
            "entries",
            .get(
                "/api/family/audit",
                [
                    "familyId": family?.rawValue, "cursor": cursor,
                    "limit": limit.map { String($0) },
                ]))
    }
}

extension Hearth {
    /// Returns the family that has this code, for the caller to confirm before joining.
    public func previewCode(_ code: FamilyCode) async throws -> CodePreview {
        try await value(.get("/api/family/code/\(APIRequest.encoded(code.text))"))
    }

    /// Joins a family with its code. Afterwards the caller is a member or waits for approval.
    @discardableResult
    public func joinFamily(by code: FamilyCode) async throws -> JoinedFamily {
        try await value(.post("/api/family/code/join", ["familyCode": .string(code.text)]))
    }

    /// Replaces a family's code. The old one stops working at once.
    ///
    /// - Parameter days: Days until the new code expires; if left out, it is valid until replaced.
    @discardableResult
    public func regenerateCode(
        of family: FamilyID, expiringInDays days: Int? = nil
    ) async throws -> RegeneratedCode {
        try await value(
            .post(
                "/api/family/code/regenerate",
                .body([
                    "familyId": .string(family.rawValue),
                    "expiresInDays": days.map { .integer($0) },
                ])))
    }
}

/// The response to a request for the caller's own group.
private struct OwnGroupResponse: FieldsDecodable {
    let group: FamilyGroup?

    init(_ fields: Fields) throws(DecodingFailure) {
        group = fields["group_id"] == nil ? nil : try FamilyGroup(fields)
    }
}
