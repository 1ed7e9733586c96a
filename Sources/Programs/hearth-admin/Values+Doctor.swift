import CommandLine
import Configuration
import Doctor
import FamilySettings
import UseCases

extension Values {
    /// Returns the issuers of the issuers file, and Hearth itself if it signs tokens. Nil if
    /// neither is set.
    func configuredIssuers() throws -> ConfiguredIssuers? {
        let (file, keys) = (HearthSettings.issuersFile.orNone, HearthSettings.signingKeysFile)
        let publicURL = HearthSettings.publicURL.orNone
        let settings = try settings([file, keys, publicURL])
        return try ConfiguredIssuers(
            issuersFile: settings[file], signsTokens: settings[keys] != nil,
            publicURL: settings[publicURL])
    }

    /// Returns the settings with which `doctor` compares the database.
    func doctorExpectations() throws -> DoctorExpectations {
        let (length, rate) = (
            HearthSettings.codeLength.orNone, HearthSettings.wrongCodesPerMinute.orNone
        )
        let secrets = HearthSettings.secretKeys.orNone
        let settings = try settings([length, rate, secrets])
        return DoctorExpectations(
            rightsFile: self[RightsFile.path], issuers: try configuredIssuers(),
            codeLength: settings[length], wrongCodesPerMinute: settings[rate],
            webhookKeys: try settings[secrets].flatMap { secrets in
                try WebhookKeys(secrets.map { Array($0.reveal().utf8) })
            })
    }
}
