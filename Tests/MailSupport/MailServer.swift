package import Foundation
import Glibc
import TestSupport

/// A mail server in a separate process, on a loopback port.
package final class MailServer: Sendable {
    /// The mail server program.
    package enum Program: Sendable {
        /// The server in this folder; its arguments determine its replies.
        case scripted([String])
        /// Debian's aiosmtpd, which stores messages in a Maildir.
        case aiosmtpd
    }

    package let port: Int
    /// The folder that messages are stored in.
    package let folder: URL
    private let process: ChildProgram
    private let isMaildir: Bool

    package var url: String { "smtp://127.0.0.1:\(port)" }

    /// Starts the server and waits until it listens.
    package init(_ program: Program = .scripted([])) throws {
        folder = try TemporaryFolder.make()
        switch program {
        case .scripted(let arguments):
            isMaildir = false
            process = try ChildProgram(
                "/usr/bin/python3",
                [MailSupport.path("smtp_server.py"), folder.path] + arguments)
            port = Int(try process.firstLine()) ?? 0
        case .aiosmtpd:
            isMaildir = true
            port = try FreePort.find()
            process = try ChildProgram(
                "/usr/bin/python3",
                [
                    "-m", "aiosmtpd", "-n", "-l", "127.0.0.1:\(port)", "-c",
                    "aiosmtpd.handlers.Mailbox", folder.appendingPathComponent("mail").path,
                ])
            try FreePort.awaitListener(on: port, by: process)
        }
    }

    deinit {
        process.kill()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Waits until a conversation reaches the stage that the scripted server was told to `--hold`,
    /// runs `body`, and lets the conversation continue.
    package func during(_ stage: String, _ body: () throws -> Void) throws {
        let path = folder.appendingPathComponent(stage + ".hold").path
        var pipe: Int32 = -1
        defer { if pipe >= 0 { close(pipe) } }
        // The pipe has no reader until the server waits.
        try eventually {
            pipe = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            return pipe >= 0
        }
        try body()
    }

    /// Returns the messages that arrived, as bytes, in their order.
    package func messages() throws -> [Data] {
        let place = isMaildir ? folder.appendingPathComponent("mail/new") : folder
        guard FileManager.default.fileExists(atPath: place.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: place.path)
            .filter { !$0.hasSuffix(".part") && !$0.hasSuffix(".hold") }
            .sorted { (Self.place($0), $0) < (Self.place($1), $1) }
            .map { try Data(contentsOf: place.appendingPathComponent($0)) }
    }

    /// Returns the number in a Maildir file name, such as 2 of "1763.M9P1Q2.host": the microseconds
    /// have no leading zeros, so the names don't sort by arrival.
    private static func place(_ name: String) -> Int {
        name.firstMatch(of: /P[0-9]+Q([0-9]+)\./).flatMap { Int($0.output.1) } ?? 0
    }
}

/// A message as a mail program parses it.
package struct ReadMessage: Decodable, Sendable {
    package let subject, from, to, replyTo, messageId, date, autoSubmitted, type: String
    package let text, html: String
    package let headers, defects: [String]
    package let longestLine, loneBreaks: Int

    /// Parses a message with Python's mail library.
    package init(_ bytes: some Sequence<UInt8>) throws {
        let program = try ChildProgram(
            "/usr/bin/python3", [MailSupport.path("read_message.py")], input: Data(bytes))
        self = try JSONDecoder().decode(ReadMessage.self, from: program.wholeOutput())
    }

    /// The link to the invitation in the plain text.
    package var link: String? {
        text.firstMatch(of: /https?:\/\/\S+\/join\?token=[A-Za-z0-9_-]{43}(?=\s)/).map {
            String($0.output)
        }
    }

    /// The token in the link to the invitation.
    package var token: String? {
        text.firstMatch(of: /join\?token=([A-Za-z0-9_-]{43})\s/).map { String($0.output.1) }
    }
}

enum MailSupport {
    /// Returns the path of a file in this folder.
    static func path(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent(name).path
    }
}
