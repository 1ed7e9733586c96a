import Configuration
import Testing

@Suite("Settings that are lists")
struct ListSettingsTests {
    @Test("origins have a scheme and a host in lower case, and nothing behind them")
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

    @Test("an app's identifier is a team's prefix of ten characters and a bundle's name")
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
