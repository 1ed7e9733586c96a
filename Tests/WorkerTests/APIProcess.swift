import Crypto
import Foundation
import FoundationNetworking
import Identity
import JSON
import MailSupport
import Synchronization
import TestSupport
import Testing

/// A hearth-api process on a loopback port, with the database of a post office.
final class APIProcess: Sendable {
    let url: String
    let port: Int
    let process: ChildProgram
    private let issuer: Issuer
    private let logFile: URL

    /// Starts the process and waits until it listens.
    ///
    /// - Parameters:
    ///   - given: The port to listen on, as `more` configures it; nil for a free port.
    ///   - openFiles: Limit of open files and sockets; nil for the limit of the tests.
    ///   - log: The log's destination; nil for a file that ``log()`` reads.
    init(
        _ office: PostOffice, at given: Int? = nil, openFiles: Int? = nil, log: FileHandle? = nil,
        _ more: [String: String] = [:]
    ) throws {
        let folder = office.folder
        let secret = String(repeating: "s", count: 40)
        try secret.write(
            to: folder.appendingPathComponent("secret"), atomically: false, encoding: .utf8)
        let issuers = folder.appendingPathComponent("issuers.json")
        try """
        [{"issuer": "\(Person.issuer)", "kind": "supabase", "audiences": ["authenticated"],
          "primary": true, "emailsConfirmed": true, "hs256SecretFile": "secret"}]
        """.write(to: issuers, atomically: false, encoding: .utf8)
        issuer = try #require(try IssuersFile(path: issuers.path).issuers.first)
        port = try given ?? FreePort.find()
        url = "http://127.0.0.1:\(port)"
        logFile = folder.appendingPathComponent("api-log")
        try Data().write(to: logFile)
        let environment = [
            "HEARTH_DATABASE_URL": office.test.url(as: "hearth_api"),
            "HEARTH_LISTEN": "127.0.0.1:\(port)", "HEARTH_PUBLIC_URL": url,
            "HEARTH_SECRET_KEY": PostOffice.secret, "HEARTH_ISSUERS_FILE": issuers.path,
        ]
        let program = PostOffice.program("hearth-api")
        let limited = openFiles.map { ["-c", "ulimit -n \($0); exec \"$0\"", program] }
        process = try ChildProgram(
            limited == nil ? program : "/bin/sh", limited ?? [],
            environment: environment.merging(more) { $1 },
            errors: try log ?? FileHandle(forWritingTo: logFile))
        try FreePort.awaitListener(on: port, by: process)
    }

    deinit { process.kill() }

    func log() throws -> String { try String(contentsOf: logFile, encoding: .utf8) }

    /// A token of a person who signed up at the issuer.
    func token(of person: Person) throws -> String {
        var draft = TokenDraft(subject: person.subject)
        draft.email = person.email
        draft.fullName = person.name
        draft.role = person.role
        return try issuer.mint(draft, now: Int64(Date().timeIntervalSince1970))
    }

    /// The response to a request.
    struct Answer: Sendable {
        let status: Int
        let body: Data
        /// The value of `Content-Type`.
        var contentType: String?
        var text: String { String(decoding: body, as: UTF8.self) }

        /// The value of a field of the JSON document.
        func field(_ name: String) throws -> String? {
            let document = try JSONSerialization.jsonObject(with: body) as? [String: Any]
            return document?[name] as? String
        }
    }

    /// Sends a request with a JSON body and waits for its response.
    func send(
        _ method: String, _ path: String, token: String? = nil, json: JSONValue?
    ) throws -> Answer {
        try open(method, url + path, token: token, bytes: json.map { Data($0.text().utf8) })
    }

    /// Sends a request with string fields. If `address` is given, the client is at that address
    /// behind a trusted proxy.
    func send(
        _ method: String, _ path: String, token: String? = nil, body: [String: String]? = nil,
        key: String? = nil, from address: String? = nil
    ) throws -> Answer {
        try open(
            method, url + path, token: token,
            bytes: try body.map { try JSONSerialization.data(withJSONObject: $0) }, key: key,
            forwardedFor: address)
    }

    /// Sends a request to a whole URL, such as a link in a message.
    func open(
        _ method: String, _ address: String, token: String? = nil,
        body: [String: String]? = nil, form: String? = nil, key: String? = nil,
        accepting mediaType: String? = nil
    ) throws -> Answer {
        try open(
            method, address, token: token,
            bytes: try body.map { try JSONSerialization.data(withJSONObject: $0) }, form: form,
            key: key, accepting: mediaType)
    }

    private func open(
        _ method: String, _ address: String, token: String?, bytes: Data?, form: String? = nil,
        key: String? = nil, forwardedFor client: String? = nil, accepting mediaType: String? = nil
    ) throws -> Answer {
        var request = URLRequest(url: try #require(URL(string: address)))
        request.httpMethod = method
        request.timeoutInterval = 30
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        if let key { request.setValue(key, forHTTPHeaderField: "Idempotency-Key") }
        if let mediaType { request.setValue(mediaType, forHTTPHeaderField: "Accept") }
        if let client { request.setValue(client, forHTTPHeaderField: "X-Forwarded-For") }
        if let form {
            request.setValue(
                "application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data(form.utf8)
        }
        if let bytes {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = bytes
        }
        let result = Mutex<Result<Answer, any Error>?>(nil)
        let done = DispatchSemaphore(value: 0)
        // A separate session: a connection kept open would outlast its server.
        let session = URLSession(configuration: .ephemeral)
        session.dataTask(with: request) { data, response, error in
            result.withLock {
                if let error { $0 = .failure(error) }
                if let response = response as? HTTPURLResponse {
                    $0 = .success(
                        Answer(
                            status: response.statusCode, body: data ?? Data(),
                            contentType: response.value(forHTTPHeaderField: "Content-Type")))
                }
            }
            done.signal()
        }.resume()
        defer { session.finishTasksAndInvalidate() }
        guard done.wait(timeout: .now() + 40) == .success,
            let outcome = result.withLock({ $0 })
        else { throw TimedOut() }
        return try outcome.get()
    }
}
