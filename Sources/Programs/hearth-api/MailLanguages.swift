import Configuration
import Domain
import FamilySettings
import Mail

/// The languages of e-mails: each account has one of them, and the worker writes in it.
enum MailLanguages {
    static func spoken(_ settings: Settings) throws(SettingsError) -> SpokenLanguages {
        guard let folder = settings[HearthSettings.mailTemplates] else { return SpokenLanguages() }
        do throws(CustomTextMistakes) {
            return SpokenLanguages(further: try MailTexts(folder: folder).languages)
        } catch {
            throw SettingsError(error.sentences.map { "HEARTH_MAIL_TEMPLATES: \($0)" })
        }
    }
}
