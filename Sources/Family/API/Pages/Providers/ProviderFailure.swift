/// The reason why signing in with a provider ended without a sign-in.
///
/// Pages have a sentence of their own for each. Nothing of the provider's response is shown.
enum ProviderFailure: String, Error, CaseIterable {
    /// The person declined at the provider.
    case cancelled
    /// The provider refused for another reason.
    case refused
    /// The sign-in took too long, was finished before, or began in another browser.
    case expired
    /// The provider is unreachable, or gave no usable response.
    case away
    /// Too many sign-ins are waiting for providers.
    case busy
    /// The response does not fit the request: another issuer's, or an ID token that is not valid.
    case mismatched
    /// The provider refuses this site.
    case misconfigured
    /// The browser's session has changed since a further sign-in was to be added to its account.
    case otherSession = "other_session"

    /// Status of the page that shows it.
    var status: Int {
        switch self {
        case .cancelled, .refused: 403
        case .expired, .mismatched: 400
        case .otherSession: 409
        case .away, .busy, .misconfigured: 503
        }
    }

    /// Seconds after which another attempt may succeed; nil if waiting does not help.
    var retryAfterSeconds: Int? { status == 503 ? 10 : nil }
}
