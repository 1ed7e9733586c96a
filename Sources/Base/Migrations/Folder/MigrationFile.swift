package import Crypto

/// A migration file in the folder.
package struct MigrationFile: Sendable {
    /// The migration's version.
    package let version: MigrationVersion
    /// The migration's name, without version and extension.
    package let name: String
    /// The file's name in its folder, as used in all messages.
    package let fileName: String
    /// The file's text, normalised.
    package let text: SourceText
    /// SHA-256 of the text.
    package let checksum: SHA256Digest

    /// Creates a migration from the parts of a file's name and its text.
    package init(_ fileName: String, _ parts: MigrationFileName, text: SourceText) {
        self.fileName = fileName
        self.version = parts.version
        self.name = parts.name
        self.text = text
        checksum = SHA256Digest(of: text.bytes)
    }

    /// Parses the file's text. If it can't be parsed, throws the broken rule.
    package func script() throws(RefusedFiles) -> Script {
        do {
            return try Script(text)
        } catch {
            throw RefusedFiles([
                RefusedStatement(
                    error.rule, file: fileName, line: error.line, subject: error.subject)
            ])
        }
    }
}

/// Files that break rules, with every position at which they do.
package struct RefusedFiles: Error, Sendable, Equatable {
    /// The positions, and the rules that are broken there.
    package let refusals: [RefusedStatement]

    /// Creates the error; there must be at least one refusal.
    package init(_ refusals: [RefusedStatement]) {
        self.refusals = refusals
    }
}
