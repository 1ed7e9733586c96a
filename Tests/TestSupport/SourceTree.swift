package import Foundation

/// The checkout that the tests were built from.
package enum SourceTree {
    /// The folder of `Package.swift`.
    package static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}
