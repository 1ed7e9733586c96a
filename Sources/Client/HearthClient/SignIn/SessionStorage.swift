public import Foundation

/// Keeps a session on this device between two starts of the app: `KeychainStorage` on Apple's
/// systems, `FileStorage` elsewhere.
public protocol SessionStorage: Sendable {
    /// What was kept; nil if nothing was.
    func load() throws -> Data?
    /// Keeps it in place of what was kept.
    func save(_ data: Data) throws
    /// Forgets what was kept; nothing happens if nothing was.
    func remove() throws
}
