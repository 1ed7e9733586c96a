import Migrations
import Postgres

// The code of First-Migration.md in Migrations.docc, compiled. MigrationArticleTests expects each
// block of the article here, line by line, ignoring indentation.

/// Stand-in for the program of the article.
struct DocumentedMigration {
    let settings: ConnectionSettings
    let show: @Sendable (String) -> Void

    func run(_ path: String) throws -> String {
        let show = show
        let folder = try MigrationFolder(path: path)
        let plan = try Plan.read(settings, folder, target: nil, allowsOutOfOrder: false)
        for line in plan.lines { show(line) }
        var options = MigrationRunner.Options()
        options.limits.databaseWaitSeconds = 60
        let outcome = try MigrationRunner(settings, folder, options) { event in
            if case .warning(let text) = event { show(text) }
        }.up()
        show("applied: \(outcome.applied.joined(separator: ", "))")
        let report = try Verification.run(settings, folder, allowsOutOfOrder: false)
        return report
    }
}
