import Foundation
import JSON
import MailSupport
import Synchronization
import TestSupport
import Testing

/// A headless Chromium, driven by WebDriver (W3C), with a virtual authenticator.
final class Browser: Sendable {
    private static let driver = "/usr/bin/chromedriver"

    /// Whether this machine has Chromium's driver.
    static var isThere: Bool { FileManager.default.isExecutableFile(atPath: driver) }

    private let process: ChildProgram
    private let port: Int
    private let session: Mutex<String>

    /// A failure that the driver or the page's script reports.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    init() throws {
        port = try FreePort.find()
        process = try ChildProgram(Self.driver, ["--port=\(port)", "--silent"])
        session = Mutex("")
        try FreePort.awaitListener(on: port, by: process)
        let begun = try ask(
            "POST", "/session",
            [
                "capabilities": [
                    "alwaysMatch": [
                        "webauthn:virtualAuthenticators": true,
                        "goog:chromeOptions": [
                            "args": ["--headless=new", "--no-sandbox", "--disable-gpu"]
                        ],
                    ]
                ]
            ])
        let id = try begun["sessionId"].string()
        session.withLock { $0 = id }
        try here("POST", "/timeouts", ["script": 60_000, "pageLoad": 60_000])
    }

    deinit {
        _ = try? here("DELETE", "")
        process.kill()
    }

    func open(_ address: String) throws { try here("POST", "/url", ["url": .string(address)]) }

    var address: String { get throws { try here("GET", "/url").string() } }

    /// Runs a script in the page and returns the value of its promise.
    @discardableResult
    func run(_ script: String, _ arguments: JSONValue...) throws -> JSONField {
        let source = """
            const done = arguments[arguments.length - 1];
            (async (...args) => { \(script) })(...arguments).then(
              (value) => done({value}), (error) => done({error: String(error)}));
            """
        let answer = try here(
            "POST", "/execute/async",
            ["script": .string(source), "args": .array(arguments)])
        if let error = try answer["error"].ifPresent {
            throw Failure(description: try error.string())
        }
        return try answer["value"]
    }

    // MARK: The authenticator

    /// Adds an authenticator such as phones have, and returns its id.
    func addAuthenticator() throws -> String {
        try here(
            "POST", "/webauthn/authenticator",
            [
                "protocol": "ctap2", "transport": "internal", "hasResidentKey": true,
                "hasUserVerification": true, "isUserVerified": true,
            ]
        ).string()
    }

    func removeAuthenticator(_ id: String) throws {
        try here("DELETE", "/webauthn/authenticator/\(id)")
    }

    /// The credentials that the authenticator stores, private keys included.
    func credentials(of authenticator: String) throws -> [JSONValue] {
        try here("GET", "/webauthn/authenticator/\(authenticator)/credentials").elements()
            .compactMap(\.value)
    }

    func add(_ credential: JSONValue, to authenticator: String) throws {
        try here("POST", "/webauthn/authenticator/\(authenticator)/credential", credential)
    }

    // MARK: The driver

    @discardableResult
    private func here(
        _ method: String, _ path: String, _ body: JSONValue? = nil
    ) throws -> JSONField {
        try ask(method, "/session/\(session.withLock { $0 })" + path, body)
    }

    private func ask(
        _ method: String, _ path: String, _ body: JSONValue? = nil
    ) throws -> JSONField {
        let answer = try DriverConnection.ask(
            port, method, path, body: body.map { Array($0.text().utf8) } ?? [])
        let value = try JSONField(JSONValue(parsing: answer))["value"]
        if case .object(let object)? = value.value, object["stacktrace"] != nil {
            throw Failure(description: "\(method) \(path): \(try value["message"].string())")
        }
        return value
    }
}
