package import Domain
package import UseCases

/// The texts of all e-mails: Hearth's own, and before them those of an operator's folder.
package struct MailTexts: Sendable {
    /// By language, name and part.
    private let own: [CustomTextKey: CustomText]

    /// Hearth's own.
    package init() { own = [:] }

    /// Those of a folder, `LANGUAGE/NAME.subject.txt`, `.txt` and `.html`. Where it has none,
    /// Hearth's own.
    ///
    /// - Throws: All that is wrong with it.
    package init(folder: String) throws(CustomTextMistakes) {
        own = try CustomTextFolder(path: folder).texts()
    }

    /// What is wrong with a folder, a sentence each; empty if it can be used.
    package static func problems(ofFolder path: String) -> [String] {
        do throws(CustomTextMistakes) {
            _ = try MailTexts(folder: path)
            return []
        } catch {
            return error.sentences
        }
    }

    /// The languages that the folder has texts in.
    package var languages: [LanguageTag] { Array(Set(own.keys.map(\.language))) }

    /// An e-mail, in the language of a tag as far as there is one; English where there is none.
    package func content(
        of name: MailKind, _ facts: MailFacts, in tag: LanguageTag?
    ) -> MailContent {
        let tags = tag?.lineage ?? []
        let language = tags.last?.ownLanguage
        let isForeign = language == nil && tags.contains { own[.init($0, name, .text)] != nil }
        let spoken = language ?? .english
        let writer = spoken.mails
        let values = MailValues(facts, in: writer) { isForeign ? $0.text : writer.day($0) }
        let builtIn = writer.template(name, values).content(in: spoken)
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

    /// Hearth's own text of an e-mail as a file of an operator's: to begin with.
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
