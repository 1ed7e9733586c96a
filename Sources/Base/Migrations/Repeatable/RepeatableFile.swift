package import Crypto

/// A file of functions and views that is edited in place and applied again when its text changes.
package struct RepeatableFile: Sendable {
    /// The file's name in its folder, which is its key in the ledger.
    package let name: String
    /// The name with its folder, as used in all messages.
    package let path: String
    /// The file's text, normalised.
    package let text: SourceText
    /// SHA-256 of the text.
    package let checksum: SHA256Digest
    /// The parsed text.
    package let script: Script

    /// Parses a text; throws with the line if it can't be parsed.
    init(name: String, path: String, text: SourceText) throws(RefusedFiles) {
        self.name = name
        self.path = path
        self.text = text
        checksum = SHA256Digest(of: text.bytes)
        do {
            script = try Script(text)
        } catch {
            throw RefusedFiles([
                RefusedStatement(error.rule, file: path, line: error.line, subject: error.subject)
            ])
        }
    }

    /// Returns the statements in the file that a repeatable file may not contain.
    package func refusals(serverMajorVersion: Int?) -> [RefusedStatement] {
        var found = Refusals.found(
            in: script, file: path, serverMajorVersion: serverMajorVersion, isRepeatable: true)
        found += RepeatableRules.violations(in: script).map {
            RefusedStatement(.notRepeatable, file: path, line: $0.line, subject: $0.message)
        }
        return found.sorted { $0.line < $1.line }
    }
}
