/// The languages that there are e-mails in: Hearth's own, and those of an operator's texts.
package struct SpokenLanguages: Sendable {
    private let tags: Set<LanguageTag>

    /// - Parameter further: The languages of an operator's texts.
    package init(further: [LanguageTag] = []) {
        tags = Set(further).union(Language.allCases.map { LanguageTag($0) })
    }

    /// The language that an `Accept-Language` wants most of these, as it names it: of `es-MX`,
    /// that. Nil where it wants none of them, or anything.
    package func wanted(by header: String?) -> LanguageTag? {
        LanguageRange.all(of: header ?? "").best { range in
            LanguageTag(range.text).flatMap { tag in
                tag.lineage.contains { tags.contains($0) } ? tag : nil
            }
        }
    }
}
