import Configuration
import Testing

@Suite("List settings")
struct ListSettingsTests {
    @Test("an origin has a scheme and a host in lower case, and nothing after them")
    func origins() {
        let expectation = Expectation<[String]>.origins
        #expect(
            expectation.value(of: "https://app.example.org, http://localhost:3000")
                == ["https://app.example.org", "http://localhost:3000"])
        for word in [
            "", ",", "*", "null", "https://app.example.org/", "https://app.example.org/x",
            "https://*.example.org", "https://App.example.org", "app.example.org",
            "https://app.example.org, nonsense",
        ] {
            #expect(expectation.value(of: word) == nil, "\(word)")
        }
    }

    @Test("an application identifier has a team prefix of ten characters and a bundle identifier")
    func appleAppIDs() {
        let expectation = Expectation<[String]>.appleAppIDs
        #expect(
            expectation.value(of: "ABCDE12345.org.example.app ABCDE12345.org.example.app-2")
                == ["ABCDE12345.org.example.app", "ABCDE12345.org.example.app-2"])
        for word in ["", "org.example.app", "ABCDE12345", "ABCDE12345.", "ABCDE12345.a\"b"] {
            #expect(expectation.value(of: word) == nil, "\(word)")
        }
    }
}
