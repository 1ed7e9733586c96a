import WebAuthn

extension WebAuthnRefusal {
    /// What the client is told. What is wrong with the form, or comes from elsewhere, is named;
    /// whether a credential is known, and what was wrong with its signature, is not.
    var refusal: Refusal {
        switch self {
        case .malformed, .wrongCeremony, .wrongOrigin, .crossOrigin, .wrongRelyingParty,
            .userAbsent, .userUnverified, .unknownAlgorithm, .unsoundKey:
            Refusal(.passkeyInvalid, .fault(description))
        case .wrongChallenge: Refusal(.challengeExpired)
        case .wrongCredential, .wrongSignature, .counterWentBack, .unverifiable:
            Refusal(.passkeyRefused)
        }
    }
}
