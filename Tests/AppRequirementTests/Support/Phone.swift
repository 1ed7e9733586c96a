import Foundation
import FoundationNetworking
import TestSupport
import Testing

/// A person's phone with an app that sends requests by `URLSession`.
struct Phone: Sendable {
    let backend: Backend
    let person: Person
    /// The access token; nil before signing in.
    var token: String?
    /// The address from which the phone reaches the API.
    var address: String
    /// The managed member for whom every request is sent.
    var actingAs: String?

    /// Creates the phone of a new person who has signed up at a provider.
    init(
        _ role: String = "parent", name: String? = "Somebody", email: String? = nil,
        from provider: Backend.Provider = .supabase, person: Person? = nil
    ) throws {
        backend = try Backend.running
        self.person = person ?? Person(role: role, name: name, email: email)
        token = try backend.token(of: self.person, from: provider)
        let bytes = (0..<3).map { _ in String(UInt8.random(in: 1...254)) }
        address = "10." + bytes.joined(separator: ".")
    }

    static func player(_ name: String? = "Kim", email: String? = nil) throws -> Phone {
        try Phone("player", name: name, email: email)
    }

    static func parent(_ name: String? = "Pat", email: String? = nil) throws -> Phone {
        try Phone("parent", name: name, email: email)
    }

    var email: String { person.email }
    /// The user's id with a provider whose subjects are UUIDs.
    var userID: String { person.subject }

    var signedOut: Phone {
        var phone = self
        phone.token = nil
        return phone
    }

    /// Returns this phone acting for a managed member.
    func acting(for member: String?) -> Phone {
        var phone = self
        phone.actingAs = member
        return phone
    }

    /// Sends a request and checks the status and the message that the app would show.
    @discardableResult
    func send(
        _ method: String, _ path: String, json: String? = nil, headers: [String: String] = [:],
        expect status: Int = 200, saying message: String? = nil,
        at location: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
        let url = try #require(URL(string: backend.url + path))
        let answer = try await exchange(method, url, json: json, headers: headers)
        try #require(
            answer.status == status, "\(method) \(path): \(answer.text)",
            sourceLocation: location)
        if let message {
            #expect(answer.json.message.text == message, sourceLocation: location)
        }
        Transcript.note(method, path, answer, from: self)
        return answer
    }

    /// Sends a request with any status, outside the transcript.
    func exchange(
        _ method: String, _ url: URL, json: String? = nil, headers: [String: String] = [:]
    ) async throws -> Answer {
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.timeoutInterval = 40
        request.httpBody = json.map { Data($0.utf8) }
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue(address, forHTTPHeaderField: "X-Forwarded-For")
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        if let actingAs { request.setValue(actingAs, forHTTPHeaderField: "X-Acting-As-Member") }
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        let (data, response) = try await URLSession.shared.data(for: request)
        return Answer(try #require(response as? HTTPURLResponse), data)
    }

    @discardableResult
    func get(
        _ path: String, expect status: Int = 200, saying message: String? = nil,
        at location: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
        try await send("GET", path, expect: status, saying: message, at: location)
    }

    @discardableResult
    func post(
        _ path: String, _ fields: [String: String] = [:], expect status: Int = 200,
        saying message: String? = nil, at location: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
        let json = String(decoding: try JSONEncoder().encode(fields), as: UTF8.self)
        return try await send(
            "POST", path, json: json, expect: status, saying: message, at: location)
    }

    @discardableResult
    func patch(
        _ path: String, _ fields: [String: String], expect status: Int = 200,
        saying message: String? = nil, at location: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
        let json = String(decoding: try JSONEncoder().encode(fields), as: UTF8.self)
        return try await send(
            "PATCH", path, json: json, expect: status, saying: message, at: location)
    }

    @discardableResult
    func delete(
        _ path: String, expect status: Int = 200, saying message: String? = nil,
        at location: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
        try await send("DELETE", path, expect: status, saying: message, at: location)
    }
}
