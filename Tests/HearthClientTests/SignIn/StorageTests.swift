import Foundation
import HearthClient
import MailSupport
import Testing

@Suite("Session storage")
final class StorageTests {
    private let folder: URL

    init() throws { folder = try TemporaryFolder.make() }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func contract(_ storage: any SessionStorage) throws {
        #expect(try storage.load() == nil)
        try storage.remove()
        try storage.save(Data("one".utf8))
        try storage.save(Data("two".utf8))
        #expect(try storage.load() == Data("two".utf8))
        try storage.remove()
        #expect(try storage.load() == nil)
    }

    @Test("a storage returns the last saved session until it is removed")
    func keeping() throws {
        try contract(MemoryStorage())
        try contract(FileStorage(folder.appendingPathComponent("session")))
    }

    @Test("a session file is readable only by its owner, with no other file beside it")
    func mode() throws {
        let file = folder.appendingPathComponent("session")
        let storage = FileStorage(file)
        try storage.save(Data("secret".utf8))
        let facts = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(facts[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["session"])
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: file.path)
        #expect(throws: HearthError.self) { try storage.load() }
        #expect(throws: HearthError.self) {
            try FileStorage(URL(fileURLWithPath: "/nowhere/session")).save(Data())
        }
    }
}
