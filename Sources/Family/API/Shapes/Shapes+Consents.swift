import Domain
import Policy
import Repositories
import UseCases

extension Shapes {
    static let consent = Shape<ListedConsent<StandingConsent>>(
        "Consent",
        [
            .text("purpose", \.name),
            .flag("given", \.isGiven),
            .textOrNull("version") { $0.consent?.version },
            .idOrNull("givenBy") { $0.consent?.givenBy },
            .timeOrNull("givenAt") { $0.consent?.givenAt },
            .textOrNull(
                "method", as: .word(ConsentMethod.allCases.map(\.rawValue))
            ) { $0.consent?.method.rawValue },
            .textOrNull("currentVersion") { $0.purpose?.version },
            .flag("required") { $0.purpose?.isRequired ?? false },
            .list("title", localText) { $0.purpose?.title ?? [] },
            .list("text", localText) { $0.purpose?.text ?? [] },
        ])

    /// A consent purpose for accounts.
    static let ownConsent = Shape<ListedConsent<OwnConsent>>(
        "OwnConsent",
        [
            .text("purpose", \.name),
            .flag("given", \.isGiven),
            .textOrNull("version") { $0.consent?.version },
            .timeOrNull("givenAt") { $0.consent?.givenAt },
            .textOrNull("method", as: .word(OwnConsentMethod.allCases.map(\.rawValue))) {
                $0.consent.map { _ in OwnConsentMethod.oneself.rawValue }
            },
            .textOrNull("currentVersion") { $0.purpose?.version },
            .flag("required") { $0.purpose?.isRequired ?? false },
            .texts("refuses") { $0.purpose?.refused.map(\.name) ?? [] },
            .list("title", localText) { $0.purpose?.title ?? [] },
            .list("text", localText) { $0.purpose?.text ?? [] },
        ])

    static let ownConsents = Shape<[ListedConsent<OwnConsent>]>(
        "OwnConsents", [.list("consents", ownConsent) { $0 }])

    private static let localText = Shape<ConsentPurposes.LocalText>(
        "LocalText", [.text("language", \.language), .text("text", \.text)])

    static let consents = Shape<[ListedConsent<StandingConsent>]>(
        "Consents", [.list("consents", consent) { $0 }])
}
