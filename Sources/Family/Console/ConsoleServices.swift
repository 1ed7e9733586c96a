package import API
import Basics
import Domain
package import Postgres
import Repositories
package import Telemetry
package import UseCases

/// The connections, use cases and keys of the operators' console.
package struct ConsoleServices: Sendable {
    /// Connections as `hearth_admin`: for sessions, for changes, and for what support and admins
    /// read.
    let admin: Pool
    /// Connections as `hearth_viewer`, for what viewers read.
    let viewer: Pool
    let signIn: ConsoleSignIn
    /// The console's own address.
    let site: PublicSite
    /// Keys of links to families, for invitations that are sent again.
    let invitationKeys: InvitationKeys
    let signInKeys: SignInKeys
    let log: Log
    let plots: PlotCache
    /// The proxy whose name for the operator counts; nil if there is none.
    let proxy: ConsoleProxy?
    /// Whether operators may sign in by a mailed code.
    let hasMailedCodes: Bool
    /// Returns the seconds since 1970.
    let now: @Sendable () -> Int64

    package init(
        admin: Pool, viewer: Pool, signIn: ConsoleSignIn, site: PublicSite,
        invitationKeys: InvitationKeys, signInKeys: SignInKeys, log: Log,
        proxy: ConsoleProxy? = nil, hasMailedCodes: Bool = false,
        now: @escaping @Sendable () -> Int64
    ) {
        self.admin = admin
        self.viewer = viewer
        self.signIn = signIn
        self.site = site
        self.invitationKeys = invitationKeys
        self.signInKeys = signInKeys
        self.log = log
        self.proxy = proxy
        self.hasMailedCodes = hasMailedCodes
        self.now = now
        plots = PlotCache()
    }
}
