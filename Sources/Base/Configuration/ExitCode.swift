/// An error that ends a program with an exit code of its own.
package protocol ExitCoded: Error {
    var exitCode: Int32 { get }
}

/// Exit codes that mean the same in every executable (`sysexits.h`).
package enum ExitCode {
    /// The work is done.
    package static let success: Int32 = 0
    /// The work failed for a reason without a code of its own.
    package static let failure: Int32 = 1
    /// The command line is malformed (EX_USAGE).
    package static let usage: Int32 = 64
    /// A service that the work needs is unreachable (EX_UNAVAILABLE).
    package static let unavailable: Int32 = 69
    /// A change may or may not be stored, or may be lost with a server: check it, or repeat it
    /// (EX_TEMPFAIL).
    package static let unconfirmed: Int32 = 75
    /// A setting is missing or wrong (EX_CONFIG).
    package static let configuration: Int32 = 78
}
