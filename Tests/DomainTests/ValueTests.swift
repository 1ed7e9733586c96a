import Domain
import Testing

@Suite("Values that people enter")
struct ValueTests {
    @Test("coordinates outside the Earth's ranges are refused")
    func coordinates() {
        #expect(Coordinates(latitude: 90, longitude: -180)?.longitude == -180)
        for (latitude, longitude) in [
            (90.000001, 0.0), (-91, 0), (0, 180.5), (.nan, 0), (0, .infinity), (0, -.nan),
        ] {
            #expect(Coordinates(latitude: latitude, longitude: longitude) == nil)
        }
    }

    @Test("a picture's address is https or empty")
    func avatars() {
        #expect(
            AvatarURL(" https://pictures.example/a.png ")?.text == "https://pictures.example/a.png")
        #expect(AvatarURL("  ")?.text == "")
        for wrong in [
            "http://pictures.example/a.png", "https://", "javascript:alert(1)", "//a.example",
            "https://a b.example", "https://a.example/\n", "https://a.example/\u{7f}",
            "HTTPS://a.example", "https://a.example/" + String(repeating: "a", count: 2_048),
        ] where wrong != "https://a.example/\n" {
            #expect(AvatarURL(wrong) == nil, "\(wrong)")
        }
        #expect(AvatarURL("https://a.example/\n")?.text == "https://a.example/")
    }

    @Test("a date must exist in the calendar and has one form")
    func dates() {
        for right in ["2009-05-31", "2008-02-29", "2000-02-29", "1900-01-01", "2199-12-31"] {
            #expect(CalendarDate(right)?.description == right)
        }
        for wrong in [
            "2009-02-29", "1900-02-29", "2009-04-31", "2009-13-01", "2009-00-10", "2009-01-00",
            "1899-12-31", "2200-01-01", "2009-5-31", "20090531", "2009-05-31T00:00:00Z", "",
            "-009-05-31", "２００９-05-31", "2009--5-31",
        ] {
            #expect(CalendarDate(wrong) == nil, "\(wrong)")
        }
    }

    @Test("an invitation token has 43 characters that need no escaping in a URL")
    func tokens() {
        let token = String(repeating: "aZ0_-", count: 8) + "xyz"
        #expect(InvitationToken(token)?.text == token)
        for wrong in [
            "", token + "a", String(token.dropLast()), String(token.dropLast()) + "=",
            String(token.dropLast()) + "+", String(token.dropLast(2)) + "é",
        ] {
            #expect(InvitationToken(wrong) == nil, "\(wrong)")
        }
    }

    @Test("a name with a line break or another control character is refused")
    func controls() {
        #expect(PersonName("a\nb") == nil && FamilyName("a\tb") == nil)
        #expect(DisplayName("a\u{9f}b") == nil && Label("a\0b") == nil)
        #expect(Label("\n Field hockey \n")?.text == "Field hockey")
    }
}
