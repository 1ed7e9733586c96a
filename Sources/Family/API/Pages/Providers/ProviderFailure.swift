/// The reason why signing in with a provider ended without a sign-in.
///
/// Pages show a separate sentence for each reason, and no text from the provider's response.
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
    /// The response does not match the request: it is from another issuer, or its ID token is
    /// invalid.
    case mismatched
    /// The provider refuses this site.
    case misconfigured
    /// The browser's session changed while a sign-in was being added to its account.
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
