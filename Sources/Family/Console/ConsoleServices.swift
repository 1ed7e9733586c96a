package import API
package import Basics
import Domain
package import Mail
package import Postgres
import Repositories
package import Telemetry
package import UseCases

/// The connections, use cases and keys of the operators' console.
package struct ConsoleServices: Sendable {
    /// Connections as `hearth_admin`: for sessions, for changes, and for the reads of support and
    /// admins.
    let admin: Pool
    /// Connections as `hearth_viewer`, for the reads of viewers.
    let viewer: Pool
    let signIn: ConsoleSignIn
    /// The console's own address.
    let site: PublicSite
    /// Keys of links to families, for invitations that are sent again.
    let invitationKeys: InvitationKeys
    let signInKeys: SignInKeys
    let log: Log
    /// Keys from which secrets of webhooks are derived.
    let webhookKeys: WebhookKeys?
    let plots: PlotCache
    /// The proxy whose name for the operator counts; nil if there is none.
    let proxy: ConsoleProxy?
    /// Whether operators may sign in by a mailed code.
    let hasMailedCodes: Bool
    let mailOutcomes = TimedCache<[MailOutcome]>(seconds: 60)
    let board: ConsoleBoard
    let doctor: DoctorRuns
    let system: ConsoleSystem
    /// The e-mails with made-up values, and their delivery.
    let mail: TestMail
    let meters: ConsoleMeters
    /// Chooses the requests that are traced; nil if none is.
    let tracer: Tracer?
    /// Whether the console can work.
    package let readiness: CheckReadiness
    /// Returns the seconds since 1970.
    let now: @Sendable () -> Int64
    /// Seconds between two checks of the session of an open page that is renewed.
    let sessionCheckSeconds: Double
    /// Seconds until the export of a person is cancelled. It reads much more than a page.
    let exportSeconds: Double

    /// - Parameters:
    ///   - tracer: Chooses the requests that are traced; nil for none.
    ///   - snapshotSeconds: Seconds in which pages show the same snapshot of the database, unless
    ///     this console changes something.
    package init(
        admin: Pool, viewer: Pool, signIn: ConsoleSignIn, site: PublicSite,
        invitationKeys: InvitationKeys, signInKeys: SignInKeys, webhookKeys: WebhookKeys?,
        doctor: DoctorRuns, system: ConsoleSystem, mail: TestMail, metrics: Metrics, log: Log,
        proxy: ConsoleProxy? = nil, hasMailedCodes: Bool = false, tracer: Tracer? = nil,
        now: @escaping @Sendable () -> Int64, snapshotSeconds: Double = 2,
        sessionCheckSeconds: Double = 25, exportSeconds: Double = 60
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
        self.tracer = tracer
        self.now = now
        self.sessionCheckSeconds = sessionCheckSeconds
        self.exportSeconds = exportSeconds
        self.webhookKeys = webhookKeys
        self.doctor = doctor
        self.system = system
        self.mail = mail
        plots = PlotCache()
        let board = ConsoleBoard(viewer, freshSeconds: snapshotSeconds)
        self.board = board
        meters = ConsoleMeters(metrics, board)
        readiness = CheckReadiness(admin, invitationKeys, checksStatements: false)
        doctor.observe { board.bump(.doctor) }
    }

    /// Ends the streams of open pages, which would delay the end of the process.
    package func beginDraining() { board.stop() }

    /// Number of reads of the database for the pages that are renewed.
    package var boardReads: Int { board.reads }
}
