import Foundation
import HearthClient
import TestSupport
import Testing

@Suite("Public models")
struct PublicModelTests {
    private static let shown = "shown by a screen, which makes it anew"
    private static let secret = "contains secrets, which only a SessionStorage stores"
    private static let queue = "stored by a FamilyStore until it is sent"
    private static let client = "a part of the client, not a value of Hearth's"

    /// Public types that are not `Codable`, and the reason.
    private static let withoutCoding: [String: String] = [
        "Hearth": client, "BearerToken": client, "RetryPolicy": client, "SyncSettings": client,
        "StoreQuery": client, "FileStorage": client, "KeychainStorage": client,
        "TransportPart": client, "APIRequest": client, "APIResponse": client, "Mode": client,
        "State": client, "JSONError": client,
        "HearthError": "can contain an error of the app's own closures",
        "NextStep": "follows from a code, which is Codable",
        "FamilyScreenState": shown, "InvitationsScreenState": shown, "OpenedError": shown,
        "MembersScreenState": shown, "ProfileSwitcherState": shown, "Phase": shown,
        "SignInScreenState": shown, "Step": shown, "ScreenNotice": shown,
        "Session": secret, "SignedIn": secret, "ProviderToken": secret,
        "Mutation": queue, "QueuedMutation": queue,
    ]

    /// Public structures without a public initialiser, and the reason.
    private static let withoutInitialiser: [String: String] = [
        "Session": secret, "SignedIn": secret,
        "Mutation": "made by functions named after the changes",
        "StoreQuery": "made by properties and functions named after the results",
        "JSONError": "made by the parser",
    ]

    /// A public type, as the library's sources declare it.
    private struct Declaration {
        let kind: Substring
        let name: String
        let isCodable: Bool
        let hasInitialiser: Bool
    }

    private static func sources() throws -> String {
        let folder = SourceTree.root.appendingPathComponent("Sources/Client/HearthClient")
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".swift") && !$0.contains(".docc/") }
            .map { try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8) }
            .joined(separator: "\n")
    }

    /// Returns the text up to the brace that closes a block.
    private static func contents(_ text: Substring) -> Substring {
        var depth = 1
        let end = text.firstIndex { character in
            if character == "{" { depth += 1 }
            if character == "}" { depth -= 1 }
            return depth == 0
        }
        return text[..<(end ?? text.endIndex)]
    }

    /// Returns the text of a block without the public types that it declares.
    private static func withoutTypes(_ block: Substring) -> String {
        let heading = #/^ *public (struct|enum) (\w+)([^{]*)\{/#.anchorsMatchLineEndings()
        var text = String(block)
        while let match = text.firstMatch(of: heading) {
            let inner = contents(text[match.range.upperBound...])
            text = String(text[..<match.range.lowerBound]) + String(text[inner.endIndex...])
        }
        return text
    }

    private static func declarations(in text: String) -> [Declaration] {
        let extending = #/^extension (\w+)([^{]*)\{/#.anchorsMatchLineEndings()
        var (codable, made) = (Set<String>(), Set<String>())
        for match in text.matches(of: extending) {
            let name = String(match.1)
            if match.2.contains("Codable") { codable.insert(name) }
            let block = withoutTypes(contents(text[match.range.upperBound...]))
            if block.contains("public init") { made.insert(name) }
        }
        let heading = #/^ *public (struct|enum) (\w+)([^{]*)\{/#.anchorsMatchLineEndings()
        return text.matches(of: heading).map { match in
            let name = String(match.2)
            let block = withoutTypes(contents(text[match.range.upperBound...]))
            return Declaration(
                kind: match.1, name: name,
                isCodable: match.3.contains("Codable") || codable.contains(name),
                hasInitialiser: block.contains("public init") || made.contains(name))
        }
    }

    @Test("an app can make and store each public model, or a reason says why not")
    func all() throws {
        let all = Self.declarations(in: try Self.sources())
        #expect(all.count > 80)
        let uncodable = Set(all.filter { !$0.isCodable }.map(\.name))
        let unmade = Set(all.filter { $0.kind == "struct" && !$0.hasInitialiser }.map(\.name))
        #expect(
            uncodable.subtracting(Self.withoutCoding.keys).sorted() == [],
            "make it Codable, or add the reason to withoutCoding")
        #expect(
            unmade.subtracting(Self.withoutInitialiser.keys).sorted() == [],
            "add a public initialiser, or the reason to withoutInitialiser")
        // A reason that is no longer needed would hide the next omission.
        #expect(Set(Self.withoutCoding.keys).subtracting(uncodable).sorted() == [])
        #expect(Set(Self.withoutInitialiser.keys).subtracting(unmade).sorted() == [])
    }

    @Test("types without Codable or a public initialiser are found, wherever they are declared")
    func found() {
        let all = Self.declarations(
            in: """
                public struct Whole: Sendable, Codable {
                    public enum Part: Hashable { case a }
                    public init() {}
                }
                public struct Bare: Sendable {
                    public struct Inner: Codable { public init() {} }
                }
                extension Other {
                    public struct Nested: Hashable, Codable { let a: Int }
                }
                public struct Extended {}
                extension Extended: Codable { public init(from decoder: any Decoder) {} }
                """)
        #expect(
            all.filter { !$0.isCodable }.map(\.name) == ["Part", "Bare"])
        #expect(
            all.filter { $0.kind == "struct" && !$0.hasInitialiser }.map(\.name)
                == ["Bare", "Nested"])
        #expect(all.count == 6)
    }

    @Test("models that an app stores are equal after encoding and decoding")
    func kept() throws {
        func expectSame<Model: Codable & Equatable>(_ model: Model) throws {
            let data = try JSONEncoder().encode([model])
            #expect(try JSONDecoder().decode([Model].self, from: data) == [model])
        }
        let code = try #require(FamilyCode(typed: "fam-abcdef"))
        try expectSame(code)
        #expect(try JSONEncoder().encode([code]) == Data(#"["FAM-ABCDEF"]"#.utf8))
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([FamilyCode].self, from: Data(#"["FAM-"]"#.utf8))
        }
        for link: HearthLink in [
            .invitation(token: "t"), .familyCode(code), .resetPassword(token: "t"),
            .signIn(token: "t"),
        ] {
            try expectSame(link)
        }
        let end = Date(timeIntervalSince1970: 1_770_000_000)
        try expectSame(SignInTicket(ticket: "t", endsAt: end))
        try expectSame(ChildToken(token: "t", endsAt: end))
        try expectSame(
            Problem(status: 409, code: .familyFull, message: "Full.", details: ["a": 1]))
        try expectSame(
            Conflict(
                id: 1, outcome: .refused(code: "family_full", message: "Full."), kind: .member,
                entityID: "m", familyID: FamilyID("f"), by: MemberID("n"), at: end,
                mutation: .joinFamily))
        try expectSame(InMemoryHearth.ConsentPurpose("p", title: "P", text: "Text"))
        let options = #"{"challenge": "AQID", "rpId": "example.com", "user": {"name": "Ada"}}"#
        let passkey = try PasskeyOptions(json: Data(options.utf8))
        #expect(passkey.challenge == Data([1, 2, 3]) && passkey.relyingPartyID == "example.com")
        #expect(passkey.userName == "Ada" && passkey.known.isEmpty)
        try expectSame(passkey)
        try expectSame(try PasskeyCredential(json: Data(#"{"id": "x"}"#.utf8)))
        #expect(throws: HearthError.self) { try PasskeyOptions(json: Data("{}".utf8)) }
    }

    @Test("a preview can show any state of a screen")
    func previews() {
        var state = MembersScreenState()
        #expect(state.isLoading && state.members.isEmpty)
        let member = Member(
            id: MemberID("m"), familyID: FamilyID("f"), userID: UserID("u"), role: .parent,
            householdRole: .adult, displayName: "Ada")
        state.isLoading = false
        state.members = [member]
        let queued = QueuedMutation(
            id: 1, mutation: .removeMember(member), changedAt: Date(timeIntervalSince1970: 0))
        state.notice = .waiting("Ada will be removed.", queued)
        #expect(state.header == "Family Members (1)" && state.notice?.isWaiting == true)
        let own = SwitchableProfile(userID: UserID("u"), displayName: "Ada", isManaged: false)
        #expect(ProfileSwitcherState(active: own, own: own).rows == [own])
        #expect(FamilyScreenState().isLoading && InvitationsScreenState().isLoading)
        #expect(SignInScreenState().step == .address)
    }
}
