package import Configuration
import Domain
import FamilySettings
import Glibc

extension MailSetup {
    /// Checks of e-mail settings beyond the form of their values, except the check of the outbox.
    package static let deliveryChecks = [
        SettingCheck(HearthSettings.mailFrom) { word in
            guard let word, sender(word) == nil else { return [] }
            return [expectedSender]
        },
        SettingCheck(HearthSettings.mailReplyTo) { word in
            guard let word, Mailbox(word) == nil else { return [] }
            return ["expected an address such as 'a@b.org'"]
        },
        SettingCheck(HearthSettings.smtpTLS, with: HearthSettings.smtpURL) { word, server in
            guard word == "none", let server, !server.isLoopback else { return [] }
            return [
                "'none' is only allowed for a server on this machine, but HEARTH_SMTP_URL names "
                    + "another one: expected required"
            ]
        },
        SettingCheck(HearthSettings.smtpCertificates) { path in
            path.map(certificateProblems) ?? []
        },
        SettingCheck(HearthSettings.mailTemplates) { path in
            path.map(MailTexts.problems) ?? []
        },
        SettingCheck(HearthSettings.appAccent) { $0.map(AccentColors.problems) ?? [] },
    ]

    /// Checks of e-mail settings beyond the form of their values.
    package static let checks =
        deliveryChecks + [
            SettingCheck(HearthSettings.outboxFolder, with: HearthSettings.smtpURL) {
                path, server in
                server == nil ? outboxProblems(path) : []
            }
        ]

    static let expectedSender = "expected an address such as 'Hearth <a@b.org>'"

    /// Parses a sender's address. Its domain is also the name in the greeting to mail servers and
    /// the end of each message's id.
    static func sender(_ word: String) -> Mailbox? { Mailbox(word)?.withASCIIDomain }

    /// Problems with a file of certificates; empty if there are none.
    package static func certificateProblems(_ path: String) -> [String] {
        do {
            let text = try TextFile.read(path, limitBytes: 4 * 1024 * 1024)
            return text.contains("CERTIFICATE-----")
                ? [] : ["\(path): it contains no certificate in PEM"]
        } catch {
            return ["\(path): \(error)"]
        }
    }

    /// Problems with the outbox folder, which must be writable. If it does not exist, the folder in
    /// which it will be created must be.
    private static func outboxProblems(_ path: String) -> [String] {
        var status = stat()
        var folder = path
        var isThere = stat(path, &status) == 0
        if !isThere, errno == ENOENT {
            folder = parent(of: path)
            isThere = stat(folder, &status) == 0
        }
        guard isThere else { return [reason(folder)] }
        guard status.st_mode & S_IFMT == S_IFDIR else { return ["\(folder): it is not a folder"] }
        return access(folder, W_OK | X_OK) == 0 ? [] : [reason(folder)]
    }

    private static func reason(_ path: String) -> String {
        "\(path): \(String(cString: strerror(errno)))"
    }

    private static func parent(of path: String) -> String {
        var path = path[...]
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
