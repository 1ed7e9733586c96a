import API
import Configuration
import Domain
import FamilySettings
import Mail

extension AppListing {
    /// The app as the settings describe it.
    init(_ settings: Settings) throws(SettingsError) {
        self.init(
            name: settings[HearthSettings.appName],
            appStoreURL: settings[HearthSettings.appStoreURL],
            playStoreURL: settings[HearthSettings.playStoreURL],
            supportEmail: settings[HearthSettings.supportEmail],
            scheme: settings[HearthSettings.appScheme],
            look: AppLook(
                accent: try AccentColors.configured(by: settings),
                logo: try Self.logo(settings),
                links: (settings[HearthSettings.appLinks] ?? []).compactMap { AppLink($0) }))
    }

    private static func logo(_ settings: Settings) throws(SettingsError) -> AppLogo? {
        guard let path = settings[HearthSettings.appLogoFile] else { return nil }
        do throws(AppLogo.Mistake) {
            return try AppLogo.read(path)
        } catch {
            throw SettingsError(["HEARTH_APP_LOGO_FILE: \(error.sentence)"])
        }
    }
}

extension AppLogo {
    /// The mistakes in the file at a path; empty if there are none.
    static func problems(_ path: String) -> [String] {
        do throws(Mistake) {
            _ = try read(path)
            return []
        } catch {
            return [error.sentence]
        }
    }

    fileprivate static func read(_ path: String) throws(Mistake) -> AppLogo {
        let bytes: [UInt8]
        do throws(TextFile.Failure) {
            bytes = try TextFile.bytes(path, limitBytes: limitBytes)
        } catch {
            throw Mistake(sentence: "\(path): \(error.description)")
        }
        do throws(Mistake) {
            return try AppLogo(bytes)
        } catch {
            throw Mistake(sentence: "\(path): \(error.sentence)")
        }
    }
}
