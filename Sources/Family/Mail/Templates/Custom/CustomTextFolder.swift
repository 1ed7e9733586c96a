import Configuration
import Domain
import UseCases

/// All mistakes in a folder of texts, one sentence each.
package struct CustomTextMistakes: Error, Sendable, Equatable {
    package let sentences: [String]
}

/// An operator's folder of texts: a subfolder for each language, with a file for each part of an
/// e-mail. Names that begin with a dot are ignored.
struct CustomTextFolder {
    let path: String

    private static let limitBytes = 256 * 1024

    /// - Throws: All mistakes in the folder.
    func texts() throws(CustomTextMistakes) -> [CustomTextKey: CustomText] {
        var texts: [CustomTextKey: CustomText] = [:]
        var mistakes: [String] = []
        for folder in names(in: path, &mistakes) {
            guard let language = LanguageTag(folder), language.text == folder else {
                mistakes.append(
                    "\(path)/\(folder.printable): expected a folder named after a language, such "
                        + "as en, es or pt-BR")
                continue
            }
            for file in names(in: "\(path)/\(folder)", &mistakes) {
                let place = "\(path)/\(folder)/\(file.printable)"
                guard let key = Self.key(file, language) else {
                    mistakes.append("\(place): " + Self.expectation(file))
                    continue
                }
                do throws(TextFile.Failure) {
                    var reader = CustomTextReader(key)
                    texts[key] = reader.read(
                        try TextFile.read("\(path)/\(folder)/\(file)", limitBytes: Self.limitBytes))
                    mistakes += reader.mistakes.map { "\(place): \($0)" }
                } catch {
                    mistakes.append("\(place): \(error)")
                }
            }
        }
        mistakes += gaps(in: texts)
        guard mistakes.isEmpty else { throw CustomTextMistakes(sentences: mistakes) }
        return texts
    }

    private func names(in folder: String, _ mistakes: inout [String]) -> [String] {
        do throws(TextFile.Failure) {
            return try TextFile.names(inFolder: folder).filter { !$0.hasPrefix(".") }
        } catch {
            mistakes.append("\(folder.printable): \(error)")
            return []
        }
    }

    /// Returns the missing parts of e-mails in languages for which Hearth has no texts of its own.
    private func gaps(in texts: [CustomTextKey: CustomText]) -> [String] {
        var gaps: Set<String> = []
        for key in texts.keys where key.language.ownLanguage == nil {
            for part in CustomTextKey.Part.allCases {
                let isThere = key.language.lineage.contains { tag in
                    texts[.init(tag, key.name, part)] != nil
                }
                if !isThere {
                    gaps.insert(
                        "\(path)/\(key.language)/\(key.name.rawValue)\(part.rawValue): it is "
                            + "missing; in a language that Hearth does not have, an e-mail needs "
                            + "all of its three files")
                }
            }
        }
        return gaps.sorted()
    }

    private static func key(_ file: String, _ language: LanguageTag) -> CustomTextKey? {
        for part in CustomTextKey.Part.allCases where file.hasSuffix(part.rawValue) {
            return MailKind(rawValue: String(file.dropLast(part.rawValue.count)))
                .map { CustomTextKey(language, $0, part) }
        }
        return nil
    }

    private static func expectation(_ file: String) -> String {
        let stem = String(file.prefix { $0 != "." })
        return "expected NAME.subject.txt, NAME.txt or NAME.html, where NAME is one of "
            + MailKind.allCases.map(\.rawValue).joined(separator: ", ")
            + suggestion(for: stem, among: MailKind.allCases.map(\.rawValue))
    }
}
