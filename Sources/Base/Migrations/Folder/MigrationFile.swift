package import Crypto

/// A migration file in the folder.
package struct MigrationFile: Sendable {
    /// Its version.
    package let version: MigrationVersion
    /// Its name, without version and ending.
    package let name: String
    /// The file's name in its folder, as all messages use it.
    package let fileName: String
    /// Its text, normalised.
    package let text: SourceText
    /// SHA-256 of the text.
    package let checksum: SHA256Digest

    /// A migration of this name and text.
    package init(_ fileName: String, _ parts: MigrationFileName, text: SourceText) {
        self.fileName = fileName
        self.version = parts.version
        self.name = parts.name
        self.text = text
        checksum = SHA256Digest(of: text.bytes)
    }

    /// The parsed text; throws if it can't run.
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

/// Files that break rules, with every place where they do.
package struct RefusedFiles: Error, Sendable, Equatable {
    /// Where, and which rules.
    package let refusals: [RefusedStatement]

    /// Refusals, at least one.
    package init(_ refusals: [RefusedStatement]) {
        self.refusals = refusals
    }
}
