import Foundation
import MailSupport
import TestSupport
import Testing

/// A receiver of webhooks in a separate process, on a loopback port.
final class WebhookReceiver {
    let folder: URL
    private(set) var port = 0
    private var process: ChildProgram?
    private let tls: [String]

    /// A request that has arrived.
    struct Arrival: Decodable, Sendable {
        let path: String
        let headers: [String: String]
        let body: String
        let status: Int
        /// Time of the response, in seconds since 1970.
        let at: Double

        /// Fields of the body that tests examine.
        struct Event: Decodable, Sendable {
            let type: String
            let sequence: Int
            let data: [String: Value]

            enum Value: Decodable, Sendable, Equatable {
                case text(String), flag(Bool), list([String]), none

                init(from decoder: any Decoder) throws {
                    let box = try decoder.singleValueContainer()
                    if let text = try? box.decode(String.self) {
                        self = .text(text)
                    } else if let flag = try? box.decode(Bool.self) {
                        self = .flag(flag)
                    } else if let list = try? box.decode([String].self) {
                        self = .list(list)
                    } else {
                        self = .none
                    }
                }
            }

            func text(_ name: String) -> String? {
                if case .text(let text)? = data[name] { text } else { nil }
            }
        }

        var id: String { headers["webhook-id"] ?? "" }

        func event() throws -> Event {
            try JSONDecoder().decode(Event.self, from: Data(body.utf8))
        }
    }

    /// Starts the process and waits until it listens.
    init(tls: [String] = []) throws {
        folder = try TemporaryFolder.make()
        self.tls = tls.isEmpty ? [] : ["--tls"] + tls
        try start()
    }

    deinit {
        process?.kill()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Starts the process, on its previous port if it had one.
    func start() throws {
        let started = try ChildProgram(
            "/usr/bin/python3",
            [Self.path("webhook_receiver.py"), folder.path, "--port", "\(port)"] + tls)
        port = Int(try started.firstLine()) ?? 0
        process = started
    }

    /// Kills the process. Connections to its port are refused from now on.
    func kill() {
        process?.kill()
        process = nil
    }

    /// Sets how the receiver responds from now on.
    func answer(_ mode: String) throws {
        try mode.write(
            to: folder.appendingPathComponent("mode"), atomically: true, encoding: .utf8)
    }

    var url: String { (tls.isEmpty ? "http" : "https") + "://127.0.0.1:\(port)/hook" }
    var requestsPath: String { folder.appendingPathComponent("requests").path }

    /// Requests in the order of their arrival.
    func arrivals() throws -> [Arrival] {
        guard let text = try? String(contentsOfFile: requestsPath, encoding: .utf8) else {
            return []
        }
        // The last line may be incomplete.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        return try lines.map { try JSONDecoder().decode(Arrival.self, from: Data($0.utf8)) }
    }

    /// Path of a file in this source folder.
    static func path(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent(name).path
    }
}

/// The library `standardwebhooks` from PyPI, in a virtual environment of the checkout.
enum StandardWebhooks {
    /// A Python with the library installed.
    private static let python = Result<String, any Error> {
        let folder = SourceTree.root.appendingPathComponent(".local/standardwebhooks").path
        let python = folder + "/bin/python"
        if (try? output(python, ["-c", "import standardwebhooks"])) == nil {
            _ = try output("/usr/bin/python3", ["-m", "venv", folder])
            _ = try output(python, ["-m", "pip", "install", "-q", "standardwebhooks==1.1.0"])
        }
        return python
    }

    /// Number of the receiver's requests that the library accepts with each secret, and number of
    /// forged requests that it accepts.
    static func verify(
        _ receiver: WebhookReceiver, _ secrets: String...
    ) throws -> [(good: Int, forged: Int)] {
        let told = try output(
            try python.get(),
            [WebhookReceiver.path("verify_webhooks.py"), receiver.requestsPath] + secrets)
        return told.split(separator: "\n").map { line in
            let words = line.split(separator: " ").map { Int($0) ?? -1 }
            return (words[0], words[1])
        }
    }

    private static func output(_ path: String, _ words: [String]) throws -> String {
        let program = try ChildProgram(path, words)
        let output = String(decoding: try program.wholeOutput(), as: UTF8.self)
        guard program.exitCode == 0 else {
            throw Failed(command: ([path] + words).joined(separator: " "))
        }
        return output
    }

    struct Failed: Error { let command: String }
}
