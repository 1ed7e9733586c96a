extension Hearth {
    /// What the system needs to make a passkey for the account.
    ///
    /// The person must have signed in during the last ten minutes.
    public func newPasskeyOptions() async throws -> PasskeyOptions {
        var call = Call.post("/api/auth/passkeys/options", ["purpose": "register"])
        call.isOwn = true
        return try PasskeyOptions(try await json(call))
    }

    /// Adds a passkey that the system has made. The person is told by e-mail.
    ///
    /// If no answer came, look at the list of passkeys: it may be there.
    ///
    /// - Parameter label: What the person calls it, such as the device, at most 80 characters.
    /// - Returns: All passkeys of the account.
    @discardableResult
    public func addPasskey(
        _ credential: PasskeyCredential, label: String? = nil
    ) async throws -> [Passkey] {
        var body: JSONValue = ["credential": credential.value]
        if let label { body = ["credential": credential.value, "label": .string(label)] }
        var call = Call.post("/api/auth/passkeys/register", body)
        call.isOwn = true
        // The challenge counts once.
        call.isRepeatable = false
        return try await list("passkeys", call)
    }

    /// The passkeys of the account, the oldest first.
    public func passkeys() async throws -> [Passkey] {
        var call = Call.get("/api/me/passkeys")
        call.isOwn = true
        return try await list("passkeys", call)
    }

    /// Takes a passkey away. The last way to sign in stays.
    public func removePasskey(_ passkey: ID<Passkey>) async throws {
        var call = Call.delete("/api/me/passkeys/\(passkey.inPath)")
        call.isOwn = true
        try await done(call)
    }
}
