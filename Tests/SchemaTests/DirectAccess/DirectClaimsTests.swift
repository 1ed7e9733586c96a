import Postgres
import TestSupport
import Testing

/// Claims of a direct client's token, by the kind of its issuer.
@Suite("Claims of direct clients")
struct DirectClaimsTests {
    private let house: House
    private let connection: Connection

    init() throws {
        house = try House()
        connection = try house.superuser()
    }

    private func isVerified(
        _ kind: String, _ claims: String, confirmed: Bool = false
    ) throws -> Bool {
        try connection.query(
            """
            SELECT gateway.email_is_verified(\(kind), \(confirmed), \(claims)::text::jsonb)
            """
        ).scalar(Bool.self)
    }

    @Test("an address is verified if the issuer says so, in the form of its kind")
    func verified() throws {
        let email = #""email": "a@example.org""#
        let told = "{\(email), \"email_verified\": true}"
        let word = "{\(email), \"email_verified\": \"true\"}"
        let untold = "{\(email), \"email_verified\": false}"
        for kind in ["generic", "cognito", "google"] {
            let found = try [told, word, untold, "{\(email)}", #"{"email_verified": true}"#].map {
                try isVerified(kind, $0)
            }
            #expect(found == [true, false, false, false, false], "\(kind)")
        }
        let apple = try [told, word, untold, "{\(email)}", #"{"email_verified": "true"}"#].map {
            try isVerified("apple", $0)
        }
        #expect(apple == [true, true, false, false, false])
        // Supabase's tokens don't say it: the setting decides, whatever a user's metadata contain.
        let confirmed = try [true, false].map { try isVerified("supabase", told, confirmed: $0) }
        #expect(confirmed == [true, false])
        #expect(try !isVerified("supabase", "{}", confirmed: true))
    }

    @Test("the client id counts as the audience in Cognito's access tokens only")
    func audience() throws {
        func isForUs(_ kind: String, _ claims: String) throws -> Bool {
            try connection.query(
                "SELECT gateway.audience_matches(\(kind), '{hearth}', \(claims)::text::jsonb)"
            ).scalar(Bool.self)
        }
        let access = #""token_use": "access""#
        let byClient = "{\(access), \"client_id\": \"hearth\", \"aud\": \"other\"}"
        let byAudience = "{\(access), \"client_id\": \"other\", \"aud\": \"hearth\"}"
        #expect(try [byClient, byAudience].map { try isForUs("cognito", $0) } == [true, false])
        #expect(try [byClient, byAudience].map { try isForUs("generic", $0) } == [false, true])
        let byAudienceOfID = #"{"token_use": "id", "client_id": "other", "aud": "hearth"}"#
        let byClientOfID = #"{"token_use": "id", "client_id": "hearth", "aud": "other"}"#
        #expect(
            try [byAudienceOfID, byClientOfID].map { try isForUs("cognito", $0) } == [true, false])
        #expect(try isForUs("generic", #"{"aud": ["other", "hearth"]}"#))
        #expect(try !isForUs("generic", #"{"aud": ["other"]}"#))
        // The names of an object's members are not read as audiences either.
        #expect(try !isForUs("generic", #"{"aud": {"hearth": 1}}"#))
        #expect(try !isForUs("cognito", #"{"aud": "hearth"}"#))
    }

    @Test("no tokens but Supabase's can be anonymous, and the claim must be a Boolean")
    func anonymous() throws {
        func isAnonymous(_ kind: String, _ value: String) throws -> Bool {
            try connection.query(
                """
                SELECT gateway.is_anonymous(\(kind),
                    jsonb_build_object('is_anonymous', \(value)::text::jsonb))
                """
            ).scalar(Bool.self)
        }
        #expect(
            try ["true", "false", "null"].map { try isAnonymous("supabase", $0) } == [
                true, false, false,
            ])
        #expect(try refusal { try isAnonymous("supabase", "\"true\"") } == "PT401")
        #expect(
            try ["true", "\"true\"", "7"].map { try isAnonymous("generic", $0) } == [
                false, false, false,
            ])
    }

    @Test("a token that Hearth issued names a session and an account, and can't delegate")
    func session() throws {
        func message(_ claims: String) throws -> String? {
            do {
                _ = try connection.query(
                    "SELECT gateway.begin_session(\(claims)::text::jsonb, NULL)")
                return nil
            } catch {
                return error.server?.message
            }
        }
        let (sid, sub) = (
            #""sid": "00000000-0000-4000-8000-000000000001""#,
            #""sub": "00000000-0000-4000-8000-000000000002""#
        )
        let refused = "This token is not accepted here."
        #expect(try message("{\(sid), \(sub)}") == "This session has ended.")
        for claims in [
            "{\(sub)}", "{\(sid), \(sub), \"act\": {}}", "{\"sid\": \"1\", \(sub)}",
            "{\(sid), \"sub\": \"1\"}",
        ] {
            #expect(try message(claims) == refused, "\(claims)")
        }
    }
}
