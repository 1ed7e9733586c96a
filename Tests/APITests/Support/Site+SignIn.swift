import API
import Foundation
import Identity
import TestSupport
import Testing
import UseCases

/// Services with which a site issues its own tokens.
enum SigningFile {
    /// One file for all sites: creating keys is not under test.
    static let path: String = {
        let path = NSTemporaryDirectory() + "signing-keys-\(UUID().uuidString)"
        // A static's initial value can't throw, and no test is meaningful without the file.
        do { try SigningKeys.create(path) } catch { fatalError("\(error)") }
        return path
    }()

    static func services(
        _ ways: Set<SignInSetup.Way> = Set(SignInSetup.Way.allCases)
    ) throws -> SignInSetup {
        SignInSetup(
            tokens: AccessTokens(issuer: Site.publicURL, keys: try SigningKeys(path: path)),
            keys: try SignInKeys([[UInt8](repeating: 9, count: 32)]), ways: ways)
    }
}

/// A person with a session issued by Hearth.
struct SessionClient: Sendable {
    let site: Site
    let access: String
    let refresh: String
    let session: String
    let user: String

    init(_ site: Site, _ answer: Answer) throws {
        self.site = site
        try #require(answer.status == 200, "\(answer)")
        access = try #require(answer.text("access_token"))
        refresh = try #require(answer.text("refresh_token"))
        session = try answer.json["session"]["id"].string()
        user = try answer.json["user"]["id"].string()
    }

    func send(
        _ method: String, _ path: String, _ body: String? = nil, headers: [String: String] = [:]
    ) throws -> Answer {
        try site.send(method, path, token: access, body: body, headers: headers)
    }

    func get(_ path: String) throws -> Answer { try send("GET", path) }
    func delete(_ path: String) throws -> Answer { try send("DELETE", path) }
}

extension Site {
    /// Exchanges a person's token for a session.
    func session(of person: APIClient, device: String? = nil) throws -> SessionClient {
        let device = device.map { #", "device": "\#($0)""# } ?? ""
        return try SessionClient(
            self,
            send(
                "POST", "/api/auth/exchange", body: #"{"token": "\#(person.token)"\#(device)}"#))
    }

    func refresh(_ token: String) throws -> Answer {
        try send("POST", "/api/auth/refresh", body: #"{"refresh_token": "\#(token)"}"#)
    }

    func signOut(_ token: String) throws -> Answer {
        try send("POST", "/api/auth/sign-out", body: #"{"refresh_token": "\#(token)"}"#)
    }
}
