import Foundation
import Mail
import MailSupport
import Testing

@Suite("The outbox")
struct OutboxTests {
    @Test("a message that is sent twice is stored once")
    func once() throws {
        let parent = try TemporaryFolder.make()
        defer { try? FileManager.default.removeItem(at: parent) }
        let folder = parent.appendingPathComponent("outbox").path
        let outbox = Outbox(folder: folder)
        let message = try SMTPTests.message()
        for _ in 1...2 {
            let result = outbox.send(message) { true }
            #expect(result == .accepted)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names == ["1-example-org.eml"])
        let content = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + names[0]))
        #expect(Array(content) == message.bytes)
    }

    @Test("a message that can't be written is tried later and leaves no partial file")
    func unwritable() throws {
        let parent = try TemporaryFolder.make()
        defer { try? FileManager.default.removeItem(at: parent) }
        let file = parent.appendingPathComponent("file")
        try Data().write(to: file)
        let told = "the outbox can't be written: "
        #expect(
            Outbox(folder: file.path).send(try SMTPTests.message(), mayGo: { true })
                == .tryLater(told + "Not a directory"))
        // A device that is always full.
        let full = parent.appendingPathComponent("full")
        try FileManager.default.createDirectory(at: full, withIntermediateDirectories: true)
        let draft = full.appendingPathComponent("1-example-org.eml.part")
        try FileManager.default.createSymbolicLink(
            at: draft, withDestinationURL: URL(fileURLWithPath: "/dev/full"))
        #expect(
            Outbox(folder: full.path).send(try SMTPTests.message(), mayGo: { true })
                == .tryLater(told + "No space left on device"))
        let names = try FileManager.default.contentsOfDirectory(atPath: full.path)
        #expect(names.isEmpty)
    }

    @Test("a message whose sender lost the right to send is not written")
    func abandoned() throws {
        let parent = try TemporaryFolder.make()
        defer { try? FileManager.default.removeItem(at: parent) }
        let result = Outbox(folder: parent.path).send(try SMTPTests.message()) { false }
        #expect(result == .abandoned)
    }
}
