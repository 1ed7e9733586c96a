import CPostgres
import Glibc

// What a pool has to know before it lends a connection and after it got it back.

extension Connection {
    /// Whether the session lives, as far as one can tell without asking the server: a server that
    /// closes a session writes to the socket first, and on an idle one nothing else is to be read.
    var isStillAlive: Bool {
        guard !isBroken else { return false }
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, 0) > 0 else { return true }
        guard PQconsumeInput(handle) == 1, PQstatus(handle) == CONNECTION_OK else {
            isBroken = true
            return false
        }
        // A parameter change or notice can be pending; a FATAL one shows as an end of file next.
        guard poll(&descriptor, 1, 0) > 0 else { return true }
        if PQconsumeInput(handle) != 1 || PQstatus(handle) != CONNECTION_OK { isBroken = true }
        return !isBroken
    }

    /// Ends what a borrower left behind; false when the connection can't be lent again.
    var isCleanAfterLease: Bool {
        onNotice = nil
        guard !isBroken else { return false }
        do {
            try rollBackIfOpen()
            if mayHaveSessionState {
                // Prepared statements go with it: they are session state too.
                try execute(script: "DISCARD ALL", deadline: .after(seconds: 5))
                isPrepared.removeAll(keepingCapacity: true)
                mayHaveSessionState = false
            }
            return !isBroken
        } catch {
            // The borrower has had its answer; the session is replaced, nothing is lost.
            return false
        }
    }
}
