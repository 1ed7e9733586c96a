import Domain
import Policy
import Testing
import UseCaseSupport
import UseCases

@Suite("Preferences and player details")
struct PreferencesTests {
    static let entry = Result { try UseCaseDatabase() }
    private var entry: UseCaseDatabase { get throws { try Self.entry.get() } }

    private func text(_ preferences: MemberPreferences) -> String {
        String(decoding: preferences.document, as: UTF8.self)
    }

    @Test("members, visitors included, access their own preferences, and guardians their child's")
    func own() throws {
        let family = try entry.family()
        let members = MemberService(try entry.database)
        for caller in [family.admin, family.player, family.visitor, family.actingForChild] {
            #expect(
                text(try members.readPreferences(by: caller, family: family.id, member: nil))
                    == "{}")
            let stored = try members.writePreferences(
                by: caller, family: family.id, member: nil, document: Array(#"{"a":1}"#.utf8))
            #expect(text(stored) == #"{"a": 1}"#)
            #expect(
                text(try members.readPreferences(by: caller, family: family.id, member: nil))
                    == #"{"a": 1}"#)
        }
        let byGuardian = try members.readPreferences(
            by: family.adult, family: family.id, member: family.child)
        #expect(text(byGuardian) == #"{"a": 1}"#)
        _ = try members.writePreferences(
            by: family.adult, family: family.id, member: family.child, document: Array("{}".utf8))
        #expect(
            text(
                try members.readPreferences(
                    by: family.actingForChild, family: family.id, member: nil)) == "{}")
        let own = try members.readPreferences(
            by: family.player, family: family.id,
            member: MemberID(rawValue: #require(family.player.adoptedID).rawValue))
        #expect(text(own) == #"{"a": 1}"#)
        let byMemberID = try members.readPreferences(
            by: family.player, family: family.id, member: try family.member(family.player))
        #expect(text(byMemberID) == #"{"a": 1}"#)
    }

    @Test("nobody else can read or write preferences, the Parent Admin included")
    func others() throws {
        let family = try entry.family()
        let members = MemberService(try entry.database)
        for member in [family.child, try family.member(family.player)] {
            let told = try refusal {
                try members.readPreferences(by: family.admin, family: family.id, member: member)
            }
            #expect(told == .standingTooLow)
            let writing = try refusal {
                try MemberService(try entry.database).writePreferences(
                    by: family.admin, family: family.id, member: member, document: Array("{}".utf8))
            }
            #expect(writing == .standingTooLow)
        }
        let absent = try refusal {
            try members.readPreferences(by: family.admin, family: family.id, member: .random())
        }
        #expect(absent == .memberNotFound)
    }

    @Test("preferences are an object of at most 16 KiB that the database can store")
    func documents() throws {
        let family = try entry.family()
        let members = MemberService(try entry.database)
        func told(_ document: String) throws -> Refusal? {
            try refused {
                try members.writePreferences(
                    by: family.player, family: family.id, member: nil,
                    document: Array(document.utf8))
            }
        }
        let fitting = String(repeating: "x", count: 16_384 - 9)
        #expect(try told("{\"a\": \"\(fitting)\"}") == nil)
        #expect(try told("{\"a\": \"\(fitting)x\"}")?.code == .preferencesTooLarge)
        // Spaces that the database adds are counted.
        let dense = "[" + String(repeating: "1,", count: 6_000) + "1]"
        #expect(try told("{\"a\":\(dense)}")?.code == .preferencesTooLarge)
        for wrong in [
            "[]", "1", "null", "\"a\"", "{", "", #"{"a": "\u0000"}"#, #"{"a": 1e999999}"#,
        ] {
            #expect(try told(wrong)?.parameter == .field("preferences"), "\(wrong)")
        }
    }

    @Test("adults can write player details, players and adults can read them")
    func playerDetails() throws {
        let family = try entry.family()
        let families = FamilyService(try entry.database)
        #expect(try families.readPlayerDetails(by: family.player, family: nil) == PlayerDetails())
        let details = PlayerDetails(
            name: PersonName("Ada"), dateOfBirth: CalendarDate("2009-05-31"), graduationYear: 2027,
            sport: Label("Rowing"), position: Label("Cox"))
        let all = try FamilyService.PlayerDetailsChange(
            name: .value(#require(PersonName("Ada"))),
            dateOfBirth: .value(#require(CalendarDate("2009-05-31"))),
            graduationYear: .value(2027), sport: .value(#require(Label("Rowing"))),
            position: .value(#require(Label("Cox"))))
        #expect(try families.writePlayerDetails(by: family.adult, family: nil, all) == details)
        #expect(try families.readPlayerDetails(by: family.player, family: family.id) == details)
        let byPlayer = try refusal {
            try families.writePlayerDetails(by: family.player, family: nil, all)
        }
        #expect(byPlayer == .standingTooLow)
        let year = try refused {
            try families.writePlayerDetails(
                by: family.adult, family: nil, .init(graduationYear: .value(1)))
        }
        #expect(year?.parameter == .field("graduationYear"))
    }

    @Test("a change of player details keeps omitted fields, and null removes a field")
    func playerDetailsChange() throws {
        let family = try entry.family()
        let families = FamilyService(try entry.database)
        let sport = try #require(Label("Sailing"))
        _ = try families.writePlayerDetails(
            by: family.adult, family: nil,
            .init(graduationYear: .value(2027), sport: .value(sport)))
        let name = try #require(PersonName("Ada \\ \"A\""))
        let added = try families.writePlayerDetails(
            by: family.admin, family: nil, .init(name: .value(name)))
        #expect(added == PlayerDetails(name: name, graduationYear: 2027, sport: sport))
        #expect(try families.writePlayerDetails(by: family.adult, family: nil, .init()) == added)
        let fewer = try families.writePlayerDetails(
            by: family.adult, family: nil, .init(name: .null, graduationYear: .null))
        #expect(fewer == PlayerDetails(sport: sport))
    }

    @Test("player details have up to twenty further entries, which change one by one")
    func furtherDetails() throws {
        let family = try entry.family()
        let families = FamilyService(try entry.database)
        let longest = try #require(DetailText(String(repeating: "\u{10348}", count: 200)))
        var further: [DetailName: DetailText] = [:]
        for number in 1...20 {
            let name = String(repeating: "\u{10348}", count: 60) + "\(number)"
            further[try #require(DetailName(name))] = longest
        }
        let all = try families.writePlayerDetails(
            by: family.adult, family: nil,
            .init(gender: .value(longest), further: further.mapValues { .value($0) }))
        #expect(all == PlayerDetails(gender: longest, further: further))
        let more = try #require(DetailName("school"))
        let tooMany = try refused {
            try families.writePlayerDetails(
                by: family.adult, family: nil, .init(further: [more: .value(longest)]))
        }
        #expect(
            tooMany?.parameter
                == .field("playerDetails", expected: "the named details and at most 20 others"))
        let first = try #require(further.keys.first)
        further[first] = nil
        further[more] = longest
        let swapped = try families.writePlayerDetails(
            by: family.adult, family: nil,
            .init(gender: .null, further: [first: .null, more: .value(longest)]))
        #expect(swapped == PlayerDetails(further: further))
        #expect(
            try FamilyService(entry.database).readPlayerDetails(by: family.player, family: nil)
                == swapped)
    }

    @Test("a player without a name gets the recorded one when it joins")
    func noted() throws {
        let entry = try entry
        let parent = RequestContext.person()
        let family = try entry.create(parent)
        _ = try FamilyService(entry.database).writePlayerDetails(
            by: parent, family: nil, .init(name: .value(#require(PersonName("Noted")))))
        let nameless = RequestContext.person(.player, name: nil)
        try entry.join(nameless, family.code)
        let named = RequestContext.person(.player, name: "Given")
        try entry.join(named, family.code)
        let names = try entry.members(parent, nil).map(\.fullName)
        #expect(Set(names) == ["Somebody", "Noted", "Given"])
    }
}
