import Foundation
import HearthClient
import Testing

@Suite("Codes and links")
struct LinkTests {
    @Test(
        "a code is recognized however people type, paste or scan it",
        arguments: [
            "FAM-ABC123", "fam-abc123", " abc123 ", "ABC 123", "abc-123", "FAMABC123", "ＦＡＭ－ａｂｃ１２３",
            "FAM\u{2011}ABC\u{200B}123",
            "https://family.example.com/join?code=FAM-ABC123",
            "https://family.example.com/hearth/join?utm=x&code=fam-abc123",
        ])
    func typed(_ text: String) {
        #expect(FamilyCode(typed: text)?.text == "FAM-ABC123")
    }

    @Test(
        "a code may be longer than six characters, and may begin like its prefix",
        arguments: [
            ("FAM-ABC1234", "ABC1234"), ("famabc12345", "ABC12345"), ("abc1-2345", "ABC12345"),
            ("https://family.example.com/join?code=FAM-ABC12345", "ABC12345"),
            ("famabc12", "FAMABC12"), ("fam-famabc", "FAMABC"),
        ])
    func longer(_ text: String, _ code: String) {
        #expect(FamilyCode(typed: text)?.text == "FAM-\(code)")
    }

    @Test(
        "a text that is too short, too long or has other characters is not a code",
        arguments: [
            "", "FAM-", "FAM-ABC12", "FAM-ABC123456", "FAM-ÄBC123", "ABC12!", "FAM-FAM-AB",
            "FAM-ABC", "FAM ABC",
        ])
    func untyped(_ text: String) {
        #expect(FamilyCode(typed: text) == nil)
    }

    @Test("each kind of link is recognized, and other URLs are not")
    func links() throws {
        func link(_ text: String) throws -> HearthLink? {
            HearthLink(try #require(URL(string: text)))
        }
        #expect(try link("https://x.com/join?token=abc") == .invitation(token: "abc"))
        #expect(try link("http://localhost:3003/join?token=test-tok") != nil)
        #expect(
            try link("app://reset-password?token=reset-tok") == .resetPassword(token: "reset-tok"))
        #expect(try link("https://x.com/reset-password?token=t") == .resetPassword(token: "t"))
        #expect(try link("https://x.com/sign-in?token=t") == .signIn(token: "t"))
        #expect(try link("https://x.com/join?code=fam-abc123") != nil)
        #expect(try link("https://x.com/join") == nil)
        #expect(try link("https://x.com/join?token=") == nil)
        #expect(try link("https://x.com/other?token=t") == nil)
    }
}
