import Domain
import HTTPServer
import Testing
import UseCases

@testable import API

@Suite("Explanations of refusals on pages")
struct ExplanationPageTests {
    static let shared = Result { try Site() }

    /// Refusals of requests that no page sends, or that their sender can't correct.
    private static let vague: Set<RefusalCode> = [
        .idempotencyKeyReused, .retryLater, .familyRequired, .privilegedField, .missingField,
    ]

    @Test("a page explains every refusal that its reader can do something about")
    func refusals() throws {
        let services = try Self.shared.get().services
        for language in Language.allCases {
            let headers = Headers([.init(name: "Accept-Language", value: language.rawValue)])
            let request = try #require(Request(.get, "/account", headers: headers))
            let visit = try PageVisit(services, request)
            for refusal in RefusalCode.allCases {
                let sentence = visit.explanation(Problem(Refusal(refusal))).text
                let isVague = sentence == visit.text(ProblemText.tryAgain).text
                #expect(isVague == Self.vague.contains(refusal), "\(refusal): \(sentence)")
            }
        }
    }

    @Test("an internal fault is explained without the details of its message")
    func faults() throws {
        let request = try #require(Request(.get, "/account"))
        let visit = try PageVisit(try Self.shared.get().services, request)
        let internalFault = visit.explanation(Problem(.internal, "index out of range")).text
        #expect(internalFault == visit.text(ProblemText.tryAgain).text)
    }
}
