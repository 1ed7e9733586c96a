import Crypto
import FamilySettings
import Glibc
import Configuration
import Identity
import Jobs
import Postgres
import UseCases

/// The jobs that revoke refresh tokens at identity providers.
struct ProviderJobs {
    static let queue = RevokeProviderToken.queue

    private let revoke: RevokeProviderToken

    /// - Throws: `SettingsError`.
    init(_ settings: Settings, _ pool: Pool, _ keys: SignInKeys) throws {
        let path = settings[HearthSettings.issuersFileOfAPI]
        let issuers: [Issuer]
        do throws(IssuersFile.ParsingErrors) {
            issuers =
                try path.map { (path) throws(IssuersFile.ParsingErrors) in
                    try IssuersFile(path: path).issuers
                } ?? []
        } catch {
            throw SettingsError(error.sentences)
        }
        revoke = RevokeProviderToken(pool, keys) { issuer, client, token in
            guard let team = issuers.first(where: { $0.name == issuer })?.team else { return nil }
            switch try team.revoke(refreshToken: token, client: client, now: Int64(time(nil))) {
            case .granted, .refused: return true
            case .unknown: return nil
            }
        }
    }

    var kinds: [JobKind] {
        [
            JobKind(RevokeProviderToken.kind) { [revoke] job, _ in
                guard let token = RevokeProviderToken.token(of: job.payload.utf8) else {
                    return .dead("the payload can't be read")
                }
                do {
                    switch try revoke(token) {
                    case .revoked: return .done
                    case .missing: return .cancelled
                    case .retry(let reason): return .retry(reason)
                    }
                } catch {
                    return .retry(String(reflecting: error))
                }
            }
        ]
    }
}
