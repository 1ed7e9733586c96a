import UseCases

extension DoctorRun {
    /// Finds out whether standbys that should serve reads don't, and whether processes read from
    /// different standbys.
    mutating func checkStandbys() throws {
        let (readers, standbys, apart) = try session.readsFromStandbys()
        if readers > 0, standbys == 0 { add(.standbysAway(readers)) }
        if apart > 0 { add(.standbysApart(apart, of: readers)) }
    }
}

extension Finding {
    /// The finding that processes should read from standbys, but no standby serves reads.
    static func standbysAway(_ readers: Int) -> Finding {
        Finding(
            kind: "standbys_away",
            message: "\(readers) \(readers == 1 ? "process" : "processes") of the API should read "
                + "from standbys, but no standby serves reads: they go to the primary",
            remedy:
                "check that the servers of HEARTH_READ_DATABASE_URL are standbys, can be reached "
                + "and are less than a second behind the primary")
    }

    /// The finding that some processes of the API don't read from every standby that others read
    /// from.
    static func standbysApart(_ apart: Int, of readers: Int) -> Finding {
        Finding(
            kind: "standbys_apart",
            message:
                "\(apart) of \(readers) processes of the API \(apart == 1 ? "does" : "do") not "
                + "read from every standby that others read from, so responses to changes wait for "
                + "three seconds",
            remedy:
                "give all of them the same HEARTH_READ_DATABASE_URL, and check that each reaches "
                + "every standby")
    }
}
