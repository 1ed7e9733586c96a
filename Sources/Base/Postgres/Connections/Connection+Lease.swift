import CPostgres
import Glibc

// Checks for a pool, before a lease and after its return.

extension Connection {
    /// Whether the session is alive, as far as can be known without a round trip.
    ///
    /// A server that closes a session first sends a message, and an idle session receives hardly
    /// anything else. The message arrives before the end of the stream, so it is decisive.
    var isStillAlive: Bool {
        guard !isBroken else { return false }
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, 0) > 0 else { return true }
        // PQisBusy reads what has arrived: a FATAL message reaches the receiver of notices.
        if PQconsumeInput(handle) != 1 || PQisBusy(handle) != 0
            || PQstatus(handle) != CONNECTION_OK
        {
            isBroken = true
        }
        return !isBroken
    }

    /// Whether the server responds at once, checked only in case of doubt.
    ///
    /// A server that hangs closes no session, and each session would have to miss a deadline.
    func hasAnsweredIfSuspect() -> Bool {
        guard isSuspect else { return true }
        let asked = Batch.Step(
            statement: PreparedText(adHoc: "SELECT"), slots: 0..<0,
            callSite: PostgresError.CallSite(#fileID, #line))
        do {
            _ = try roundTrip([asked], Bindings(), .after(seconds: 1))
            isSuspect = false
        } catch {
            // Why does not matter: it is closed, and the next lease opens another.
            isBroken = true
        }
        return !isSuspect
    }

    /// Ends what a borrower left behind; false when the connection can't be lent again.
    var isCleanAfterLease: Bool {
        onNotice = nil
        guard !isBroken else { return false }
        do {
            try rollBackIfOpen()
            if mayHaveSessionState {
                // Prepared statements go with it: they are session state too.
                try runScript(
                    "DISCARD ALL", .after(seconds: 5), PostgresError.CallSite(#fileID, #line))
                isPrepared.removeAll(keepingCapacity: true)
                mayHaveSessionState = false
            }
            return !isBroken
        } catch {
            // The borrower has had its answer; the session is replaced, nothing is lost.
            return false
        }
    }

    /// Ends a transaction that was left open. A connection that can't be rolled back is broken.
    func rollBackIfOpen() throws(PostgresError) {
        guard !isBroken, isInTransaction else { return }
        do {
            let step = Batch.Step(
                statement: .rollback, slots: 0..<0, callSite: PostgresError.CallSite(#fileID, #line)
            )
            _ = try roundTrip([step], Bindings(), .after(seconds: 5))
        } catch {
            isBroken = true
            throw error
        }
    }
}
