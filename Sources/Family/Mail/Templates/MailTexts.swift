package import Domain
package import UseCases

/// The texts of all e-mails: those of an operator's folder, otherwise Hearth's own.
package struct MailTexts: Sendable {
    /// The operator's texts by language, name and part.
    private let own: [CustomTextKey: CustomText]

    /// Creates the texts without an operator's folder.
    package init() { own = [:] }

    /// Reads the texts of a folder, `LANGUAGE/NAME.subject.txt`, `.txt` and `.html`. Hearth's own
    /// replace those that are missing.
    ///
    /// - Throws: All mistakes in the folder.
    package init(folder: String) throws(CustomTextMistakes) {
        own = try CustomTextFolder(path: folder).texts()
    }

    /// Returns the mistakes in a folder, one sentence each; empty if it can be used.
    package static func problems(ofFolder path: String) -> [String] {
        do throws(CustomTextMistakes) {
            _ = try MailTexts(folder: path)
            return []
        } catch {
            return error.sentences
        }
    }

    /// The languages of the folder's texts.
    package var languages: [LanguageTag] { Array(Set(own.keys.map(\.language))) }

    /// Returns an e-mail in the language of a tag if there are texts in it; otherwise in English.
    package func content(
        of name: MailKind, _ facts: MailFacts, in tag: LanguageTag?, accent: AccentColors? = nil
    ) -> MailContent {
        let tags = tag?.lineage ?? []
        let language = tags.last?.ownLanguage
        let isForeign = language == nil && tags.contains { own[.init($0, name, .text)] != nil }
        let spoken = language ?? .english
        let writer = spoken.mails
        let values = MailValues(facts, in: writer) { isForeign ? $0.text : writer.day($0) }
        let builtIn = writer.template(name, values).content(in: spoken, accent: accent)
        let chain = language == nil ? tags + [LanguageTag(.english)] : tags
        func text(_ part: CustomTextKey.Part) -> String? {
            for tag in chain {
                if let found = own[.init(tag, name, part)] { return found.filled(with: values) }
            }
            return nil
        }
        return MailContent(
            subject: text(.subject) ?? builtIn.subject, text: text(.text) ?? builtIn.text,
            html: text(.html) ?? builtIn.html, unsubscribePage: builtIn.unsubscribePage)
    }

    /// Returns the names of the files of ``source(of:in:)`` that the operator's folder replaces.
    package func replaced(_ name: MailKind, in language: Language) -> Set<String> {
        let parts = CustomTextKey.Part.allCases.filter {
            own[.init(LanguageTag(language), name, $0)] != nil
        }
        return Set(parts.map { name.rawValue + $0.rawValue })
    }

    /// Returns Hearth's own text of an e-mail as files, from which operators start their own.
    package static func source(
        of name: MailKind, in language: Language
    ) -> [(file: String, text: String)] {
        let content = language.mails.template(name, .placeholders).content(in: language)
        return [
            (name.rawValue + CustomTextKey.Part.subject.rawValue, content.subject + "\n"),
            (name.rawValue + CustomTextKey.Part.text.rawValue, content.text),
            (name.rawValue + CustomTextKey.Part.html.rawValue, content.html),
        ]
    }
}
