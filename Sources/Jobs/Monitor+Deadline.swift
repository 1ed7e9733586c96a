package import Postgres
package import Threads

extension Monitor {
    /// Asks `body` again after each change until it answers; nil when the deadline came first.
    ///
    /// - Parameter body: Answers what it waited for, or nil and until when to wait at most.
    package func wait<Result>(_ body: (inout Value) -> (Result?, Deadline)) -> Result? {
        waitUntil { value in
            let (result, deadline) = body(&value)
            return (result, until: deadline.nanoseconds)
        }
    }
}
