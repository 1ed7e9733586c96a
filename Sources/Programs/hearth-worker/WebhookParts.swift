import Configuration
import FamilySettings
import Fetching
import Mail
import UseCases

/// The components of webhooks made from the settings.
struct WebhookParts {
    /// Number of threads that send. A failing endpoint occupies at most one of them.
    static let threads = 4

    /// Checks of settings beyond the form of their values.
    static let checks = [
        SettingCheck(HearthSettings.webhookCertificates) { path in
            path.map(MailSetup.certificateProblems) ?? []
        }
    ]

    let client: OutboundClient
    let keys: WebhookKeys
    let keptDays: Int

    /// - Throws: `SettingsError`.
    init(_ settings: Settings) throws {
        let secrets = settings[HearthSettings.secretKeys].map { Array($0.reveal().utf8) }
        guard let keys = try WebhookKeys(secrets) else {
            throw SettingsError(["HEARTH_SECRET_KEY: expected keys of at least 32 bytes each"])
        }
        self.keys = keys
        keptDays = settings[HearthSettings.webhookEventsDays]
        let isLoopbackAllowed = settings[HearthSettings.webhookLoopback]
        var client = OutboundClient(isLoopbackAllowed ? .internetAndLoopback : .internet)
        client.certificatesPath = settings[HearthSettings.webhookCertificates]
        self.client = client
    }
}
