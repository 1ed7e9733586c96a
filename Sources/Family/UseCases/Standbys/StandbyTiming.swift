/// How long things take where reads go to standbys. docs/scaling.md says why nothing that was
/// answered can be missing from a read if they are as they are here.
///
/// All of it is measured by the monotonic clock of one process; no two clocks are ever compared.
package struct StandbyTiming: Sendable {
    /// How long after it was sent a renewal lets its process read from a standby that shows it.
    package var leaseSeconds = 2.0
    /// How long the answer to a change is held at most; longer than a lease.
    package var holdSeconds = 3.0
    /// How long a process that reads from no standby relies on having seen that nobody does.
    package var unawareSeconds = 2.0
    /// How long a process announces that it is going to read from standbys; longer than that.
    package var announcementSeconds = 4.0
    /// After such a pause between renewals a process announces itself anew: the others count it as
    /// gone after a minute.
    package var longestPauseSeconds = 10.0
    /// Time between two renewals, and between two looks at a standby.
    package var renewalSeconds = 0.25
    /// How old what a standby shows may be when it is looked at. One that is further behind serves
    /// nothing until it has caught up, so that no answer has to be held for it.
    package var lagSeconds = 1.0
    /// How many looks in a row have to find a standby good before it serves.
    package var goodLooks = 4
    /// How long a standby has for an answer; after that the primary is asked.
    package var answerSeconds = 0.5
    /// How long reads go to one standby before they go to the next. If each batch went to another
    /// one, the servers would displace each other's data in the processors' caches.
    package var turnSeconds = 0.05

    package init() {}

    /// Which of so many standbys has its turn at a time.
    package func turn(of count: Int, at nanoseconds: Int) -> Int {
        nanoseconds / max(1, Int(turnSeconds * 1e9)) % max(1, count)
    }
}
