import Domain
import HTTPServer
import TestSupport
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

    @Test("a page that can't be read is calm if it is refused, and an alert after an outage or bug")
    func unreadable() throws {
        let site = try Site(trustsLocalProxy: true)
        let browser = PageBrowser(site)
        try browser.enter(as: site.home().admin)
        let cookies = browser.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        let headers = Headers([.init(name: "Cookie", value: cookies)])
        let request = try #require(Request(.get, "/family", headers: headers))
        let visit = try PageVisit(site.services, request)
        try #require(visit.context != nil)
        let problem = Problem(Refusal(.memberNotFound))
        let failures: [any Error] = [Refusal(.familyNotFound), CancellationError()]
        for failure in failures {
            let reply = try visit.failure(problem) { _, _ in throw failure }
            let page = String(decoding: reply.body, as: UTF8.self)
            let isCalm = failure is Refusal
            #expect(reply.status == 404 && page.contains("Nothing to do here") == isCalm, "\(page)")
            #expect(page.contains("role=\"alert\"") == !isCalm, "\(page)")
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
