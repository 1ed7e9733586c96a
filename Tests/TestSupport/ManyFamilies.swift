import Foundation

/// The families of `sql/bench/fill.sql`, for tests that need many.
package enum ManyFamilies {
    /// The script that creates the given number of families. It runs as one transaction, which
    /// rules out VACUUM and CHECKPOINT; a test that needs statistics adds ANALYZE.
    package static func script(_ count: Int) throws -> String {
        // Only psql knows \ir, which includes a file.
        try text(of: "fill.sql").replacing("\\ir ids.sql", with: text(of: "ids.sql"))
            .replacing(":families", with: "\(count)")
            .replacing("VACUUM (ANALYZE, FREEZE);", with: "")
            .replacing("CHECKPOINT;", with: "")
    }

    private static func text(of file: String) throws -> String {
        try String(
            contentsOf: SourceTree.root.appendingPathComponent("sql/bench/" + file),
            encoding: .utf8)
    }
}
