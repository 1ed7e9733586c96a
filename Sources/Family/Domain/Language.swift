/// The languages in which Hearth speaks to people, by their tags (RFC 5646).
package enum Language: String, Sendable, CaseIterable {
    case english = "en"
    case spanish = "es"

    /// The one of these that an `Accept-Language` wants most; English where it wants none of them
    /// (RFC 9110 section 12.5.4).
    package init(accepted header: String?) {
        self =
            LanguageRange.all(of: header ?? "").best { range -> Language? in
                let primary = range.text.prefix { $0 != "-" }
                return primary == "*" ? .english : Language(rawValue: String(primary))
            } ?? .english
    }
}
