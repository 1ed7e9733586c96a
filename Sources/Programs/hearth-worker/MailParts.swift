import Mail
import Configuration
import FamilySettings
import UseCases

/// The e-mail components made from the settings.
struct MailParts {
    let transport: any MailTransport
    let keys: InvitationKeys
    let signInKeys: SignInKeys
    let message: Mailer.Settings

    /// - Parameter settings: Read with `MailSetup.checks`.
    /// - Throws: `SettingsError`.
    init(_ settings: Settings) throws {
        let secrets = settings[HearthSettings.secretKeys].map { Array($0.reveal().utf8) }
        guard let keys = try InvitationKeys(secrets) else {
            throw SettingsError(["HEARTH_SECRET_KEY: expected keys of at least 32 bytes each"])
        }
        self.keys = keys
        signInKeys = try SignInKeys(secrets)
        let setup = try MailSetup(settings)
        message = Mailer.Settings(
            from: setup.from, replyTo: setup.replyTo,
            publicURL: settings[HearthSettings.publicURL], appName: setup.appName,
            appScheme: setup.appScheme, accent: setup.accent, texts: setup.texts)
        transport = setup.transport
    }
}
