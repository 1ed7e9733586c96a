extension Account {
    /// What the system needs so that the person can choose a passkey and sign in with it.
    public func passkeyOptions() async throws -> PasskeyOptions {
        var call = Self.call("/api/auth/passkeys/options", ["purpose": "assert"])
        // Another challenge is as good.
        call.isRepeatable = true
        return try PasskeyOptions(try await hearth.json(call))
    }

    /// Begins a session by a passkey.
    @discardableResult
    public func signIn(with passkey: PasskeyCredential) async throws -> SignedIn {
        try await begin("/api/auth/passkeys/assert", ["credential": passkey.value])
    }
}
