extension Hearth {
    /// The family to which a code belongs, to be confirmed before joining.
    public func previewCode(_ code: FamilyCode) async throws -> CodePreview {
        try await value(.get("/api/family/code/\(APIRequest.encoded(code.text))"))
    }

    /// Joins a family by its code. The caller is a member afterwards, or waits for approval.
    @discardableResult
    public func joinFamily(by code: FamilyCode) async throws -> JoinedFamily {
        try await value(.post("/api/family/code/join", ["familyCode": .string(code.text)]))
    }

    /// Gives a family a new code. The old one stops working at once.
    ///
    /// - Parameter days: How long the new one is valid; until the next one if left out.
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
