/// An error that knows the exit code it should end a program with.
package protocol ExitCoded: Error {
    /// The exit code.
    var exitCode: Int32 { get }
}

/// Exit codes that mean the same in every executable (`sysexits.h`).
package enum ExitCode {
    /// The work is done.
    package static let success: Int32 = 0
    /// The work failed, for a reason that has no code of its own.
    package static let failure: Int32 = 1
    /// The command line can't be understood (EX_USAGE).
    package static let usage: Int32 = 64
    /// Something that the work needs can't be reached (EX_UNAVAILABLE).
    package static let unavailable: Int32 = 69
    /// A change may be stored or not, or be lost with a server: to be looked at, or made again
    /// (EX_TEMPFAIL).
    package static let unconfirmed: Int32 = 75
    /// A setting is missing or wrong (EX_CONFIG).
    package static let configuration: Int32 = 78
}
