import Configuration
import Domain
import FamilySettings
import Mail

/// The languages of e-mails. Each account has one of them, in which the worker writes to it.
enum MailLanguages {
    static func supported(_ settings: Settings) throws(SettingsError) -> SupportedLanguages {
        guard let folder = settings[HearthSettings.mailTemplates] else {
            return SupportedLanguages()
        }
        do throws(CustomTextMistakes) {
            return SupportedLanguages(further: try MailTexts(folder: folder).languages)
        } catch {
            throw SettingsError(error.sentences.map { "HEARTH_MAIL_TEMPLATES: \($0)" })
        }
    }
}
