/// What an app does next after an error.
public enum NextStep: Sendable, Hashable, CaseIterable {
    /// Show the message beside what the person typed or chose, and let it be corrected.
    case correctInput
    /// Ask the person to sign in.
    case signIn
    /// Act as oneself: the child is gone, or this is not to be done on behalf of another.
    case switchProfile
    /// Read again what is on the screen: it is not, or no longer, as it was shown.
    case refresh
    /// Show the message. Somebody else of the family has to do it, or allow it.
    case askFamily
    /// Show the message: something has to be done first, and it says what.
    case resolve
    /// Show the message. The same can be tried again later; `Problem.retryAfter` says when.
    case wait
    /// Offer to try again. The library did so for a while.
    case retry
    /// Show that something went wrong, with `Problem.requestID`: the app or the server has a
    /// mistake, and trying again does not help.
    case report
}
