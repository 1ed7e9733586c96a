import Testing

extension TribeBoardDesign {
    static let sessions = Section("AuthService, Security: sessions") {
        Needs("signInWithApple: Apple's token is exchanged for a session that lasts") {
            let phone = try Phone.apple("Jo")
            let session = try await phone.exchange()
            #expect(session.user.fullName.text == "Jo" && session.isNew.flag == true)
            #expect(try await phone.using(session).get("/api/me").json.fullName.text == "Jo")
        }
        Needs("signOut ends the session at once") {
            let phone = try Phone.apple()
            let session = try await phone.exchange()
            let signedIn = phone.using(session)
            try await signedIn.get("/api/me")
            try await signedIn.post(
                "/api/auth/sign-out", ["refresh_token": session.refresh_token.text ?? ""])
            try await signedIn.get("/api/me", expect: 401)
        }
        Needs("Tokens are refreshed") {
            let phone = try Phone.apple()
            let session = try await phone.exchange()
            let fresh = try await phone.signedOut.post(
                "/api/auth/refresh", ["refresh_token": session.refresh_token.text ?? ""]
            ).json
            #expect(fresh.refresh_token.text != session.refresh_token.text)
            try await phone.using(fresh).get("/api/me")
        }
    }
}

extension TribeBoardRequirements {
    static let sessions = Section("Requirement 1: staying signed in") {
        Needs("1.5 A person who signed in before is signed in again with the stored credentials") {
            let phone = try Phone.apple("Jo")
            var session = try await phone.exchange()
            let id = session.user.id.text
            for _ in 1...3 {
                session = try await phone.signedOut.post(
                    "/api/auth/refresh", ["refresh_token": session.refresh_token.text ?? ""]
                ).json
            }
            #expect(try await phone.using(session).get("/api/me").json.id.text == id)
        }
    }
}

extension Phone {
    /// Exchanges the provider's token for a session of Hearth's own.
    func exchange() async throws -> Content {
        try await signedOut.post("/api/auth/exchange", ["token": token ?? ""]).json
    }

    /// Returns this phone with the access token of a session.
    func using(_ session: Content) -> Phone {
        var phone = self
        phone.token = session.access_token.text
        return phone
    }
}
