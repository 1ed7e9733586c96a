import Configuration
import UseCases

extension ConsentPurposes {
    /// Reads the purposes from the file at a path.
    init(path: String) throws(SettingsError) {
        do throws(Mistakes) {
            self = try Self.read(path)
        } catch {
            throw SettingsError(error.sentences.map { "HEARTH_CONSENTS_FILE: \($0)" })
        }
    }

    /// The mistakes in the file at a path; empty if there are none.
    static func problems(_ path: String) -> [String] {
        do throws(Mistakes) {
            _ = try read(path)
            return []
        } catch {
            return error.sentences
        }
    }

    private static let limitBytes = 1 << 20

    private static func read(_ path: String) throws(Mistakes) -> ConsentPurposes {
        let text: String
        do throws(TextFile.Failure) {
            text = try TextFile.read(path, limitBytes: limitBytes)
        } catch {
            throw Mistakes(sentences: ["\(path): \(error.description)"])
        }
        do throws(Mistakes) {
            return try ConsentPurposes(parsing: Array(text.utf8))
        } catch {
            throw Mistakes(sentences: error.sentences.map { "\(path): \($0)" })
        }
    }
}
