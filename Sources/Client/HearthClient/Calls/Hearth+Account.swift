public import Foundation

extension Hearth {
    /// Erases the caller's account at once and irrevocably, as the App Store's guideline 5.1.1(v)
    /// requires an app to offer.
    ///
    /// ```swift
    /// do {
    ///     try await hearth.eraseAccount()
    /// } catch let error as HearthError where error.code == .freshSignInRequired {
    ///     try await hearth.sendDeletionCode()
    ///     // Ask for the code, then: try await hearth.eraseAccount(code: typed)
    /// }
    /// ```
    ///
    /// Afterwards call `Account.signOut()` and `FamilyStore.erase()`.
    ///
    /// - Parameters:
    ///   - code: The mailed code; needed unless the person has signed in during the last ten
    ///     minutes.
    ///   - handover: Members who take over. If somebody is missing, the problem `erasureBlocked`
    ///     lists the obstacles in `Problem.blockers`.
    public func eraseAccount(
        code: String? = nil, handingOver handover: AccountHandover = AccountHandover()
    ) async throws {
        var call = Call.delete("/api/me")
        call.repeatedQuery = [
            "reassignManagedTo": handover.guardians.map(\.rawValue),
            "transferAdminTo": handover.admins.map(\.rawValue),
        ]
        if handover.erasesChildren { call.query["eraseManaged"] = "true" }
        if let code { call.headers["X-Confirmation-Code"] = code }
        call.isOwn = true
        try await done(call)
    }

    /// Mails the caller the code that confirms the erasure of the account. It is valid for ten
    /// minutes.
    public func sendDeletionCode() async throws {
        try await done(own(.post("/api/me/deletion-code")))
    }

    /// Returns everything that Hearth stores about the caller and the children whose guardian the
    /// caller is, as a JSON document to share or save. Can be called three times a day.
    public func exportAccount() async throws -> Data {
        try await perform(own(.get("/api/me/export"))).body
    }

    // MARK: The address

    /// Mails a code to a new address of the account, and a notice to the current one.
    ///
    /// The person must have signed in during the last ten minutes.
    ///
    /// - Returns: The ticket that belongs to the code.
    public func requestAddressChange(to email: String) async throws -> SignInTicket {
        var call = own(.post("/api/me/email", ["email": .string(email)]))
        // After a lost response, retrying would mail a second code.
        call.isRepeatable = false
        let answer = try await json(call)
        guard let ticket = answer["ticket"]?.stringValue else {
            throw HearthError.unexpectedAnswer(status: 202, detail: "no ticket")
        }
        let seconds = Double(answer["expiresIn"]?.intValue ?? 600)
        return SignInTicket(ticket: ticket, endsAt: Date().addingTimeInterval(seconds))
    }

    /// Changes the account's address with the code that was mailed to the new address. All other
    /// sessions end.
    ///
    /// A code can be tried five times. If no response arrives, read `profile()`: the address may
    /// have changed.
    public func changeAddress(_ ticket: SignInTicket, code: String) async throws {
        var call = own(
            .post(
                "/api/me/email/verify",
                [
                    "ticket": .string(ticket.ticket),
                    "code": .string(code.filter { !$0.isWhitespace }),
                ]))
        call.isRepeatable = false
        try await done(call)
        await forgetResponses()
    }

    // MARK: Sessions

    /// Returns the account's sessions, the most recently used first.
    public func sessions() async throws -> [OpenSession] {
        try await list("sessions", own(.get("/api/me/sessions")))
    }

    /// Ends one of the account's sessions; its device is signed out at once.
    public func endSession(_ id: ID<Session>) async throws {
        try await done(own(.delete("/api/me/sessions/\(id.inPath)")))
    }

    /// Ends all sessions of the account except the current one.
    public func endOtherSessions() async throws {
        try await done(own(.delete("/api/me/sessions")))
    }

    // MARK: Ways to sign in

    /// Returns the ways to sign in to the account, the oldest first.
    public func identities() async throws -> [SignInIdentity] {
        try await list("identities", own(.get("/api/me/identities")))
    }

    /// Adds the sign-in of an identity provider to the account. The person is notified by e-mail.
    ///
    /// The person must have signed in during the last ten minutes, here and at the provider.
    ///
    /// - Returns: All ways to sign in.
    @discardableResult
    public func addIdentity(_ token: ProviderToken) async throws -> [SignInIdentity] {
        try await list(
            "identities",
            own(
                .post(
                    "/api/me/identities",
                    .body([
                        "token": .string(token.token), "nonce": token.nonce.map { .string($0) },
                    ]))))
    }

    /// Removes a way to sign in. The last one can't be removed. Removing the last address also
    /// removes the password.
    ///
    /// The person must have signed in during the last ten minutes.
    public func removeIdentity(_ id: ID<SignInIdentity>) async throws {
        try await done(own(.delete("/api/me/identities/\(id.inPath)")))
    }

    /// Changes the account's password, or sets the first one. All other sessions end.
    ///
    /// - Parameter current: Nil if there is none; then the person must have signed in during the
    ///   last ten minutes.
    public func changePassword(from current: String? = nil, to new: String) async throws {
        var call = own(
            .put(
                "/api/me/password",
                .body([
                    "currentPassword": current.map { .string($0) }, "newPassword": .string(new),
                ])))
        // After a lost response the current password may be the new one already.
        call.isRepeatable = false
        try await done(call)
    }

    /// Returns a token with which one of the app's own services acts for a child for five minutes.
    ///
    /// - Parameters:
    ///   - child: A child whose guardian the caller is.
    ///   - audience: Name of the service.
    public func delegate(for child: UserID, to audience: String) async throws -> ChildToken {
        let answer = try await json(
            own(
                .post(
                    "/api/delegations",
                    ["memberId": .string(child.rawValue), "audience": .string(audience)])))
        guard let token = answer["access_token"]?.stringValue else {
            throw HearthError.unexpectedAnswer(status: 200, detail: "no token")
        }
        let seconds = Double(answer["expires_in"]?.intValue ?? 300)
        return ChildToken(token: token, endsAt: Date().addingTimeInterval(seconds))
    }

    /// Returns a call that is made as the account itself, whatever the active profile.
    private func own(_ call: Call) -> Call {
        var call = call
        call.isOwn = true
        return call
    }
}
