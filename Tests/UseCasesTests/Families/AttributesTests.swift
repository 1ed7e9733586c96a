import Domain
import Policy
import Postgres
import TestSupport
import Testing
import UseCaseSupport
import UseCases

@Suite("Attributes of a family")
struct AttributesTests {
    static let entry = Result { try UseCaseDatabase(connections: 16) }
    private var entry: UseCaseDatabase { get throws { try Self.entry.get() } }

    /// The examples of RFC 7396, appendix A: original, patch, result.
    static let examples = [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, "{}"),
        (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
        (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
        (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
        (#"{"a":"foo"}"#, "null", "null"),
        (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
        (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
        ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
        ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ]

    @Test("a patch merges as in the examples of RFC 7396", arguments: examples)
    func merging(original: String, patch: String, result: String) throws {
        let isSame = try Connection(entry.test.settings()).query(
            """
            SELECT app.merge_patch(\(original)::text::jsonb, \(patch)::text::jsonb)
                = \(result)::text::jsonb
            """
        ).scalar(Bool.self)
        #expect(isSame)
    }

    @Test("ten concurrent patches all survive, each with one version and one audit row")
    func contention() throws {
        let entry = try entry
        let families = FamilyService(entry.database)
        for _ in 0..<5 {
            let family = try entry.family()
            let outcomes = onThreads(10) { index in
                try families.patchAttributes(
                    by: index % 2 == 0 ? family.adult : family.admin, family: family.id,
                    patch: Array(#"{"key\#(index)": \#(index), "shared": {"k\#(index)": 1}}"#.utf8)
                )
            }
            for outcome in outcomes { _ = try outcome.get() }
            let version = try entry.count(
                """
                SELECT version FROM app.family_attributes
                WHERE family_unit_id = \(family.id.rawValue)
                """)
            #expect(version == 10)
            let stored = try entry.database.run(
                FamilyService.readAttributes(by: family.player, family: family.id))
            let text = String(decoding: stored, as: UTF8.self)
            for index in 0..<10 {
                #expect(text.contains(#""key\#(index)": \#(index)"#))
                #expect(text.contains(#""k\#(index)": 1"#))
            }
            #expect(
                try entry.count(
                    """
                    SELECT count(*) FROM app.audit_log
                    WHERE family_unit_id = \(family.id.rawValue) AND action = 'attributes.write'
                    """) == 10)
        }
    }

    @Test("the policy itself refuses unauthorised reads and writes, not only the database")
    func rights() throws {
        let entry = try entry
        let family = try entry.family()
        let families = FamilyService(entry.database)
        func read(_ caller: RequestContext) throws -> [UInt8] {
            try entry.database.run(FamilyService.readAttributes(by: caller, family: family.id))
        }
        let empty = Array("{}".utf8)
        for (caller, reading, writing) in [
            (family.visitor, RefusalCode.visitorsOnlyRead, RefusalCode.visitorsOnlyRead),
            (family.player, nil, .standingTooLow), (family.actingForChild, nil, .notWhileActing),
            (RequestContext.person(), .familyNotFound, .familyNotFound),
        ] {
            #expect(try refusal { try read(caller) } == reading)
            #expect(
                try refusal {
                    try families.patchAttributes(by: caller, family: family.id, patch: empty)
                } == writing)
        }
    }
}
