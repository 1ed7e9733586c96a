import Domain
import Repositories

/// Lets a service act for a child only while the child lacks no required consent.
package struct RequireConsent: Sendable {
    private let database: Database
    private let register: ConsentRegister

    package init(_ database: Database, _ register: ConsentRegister) {
        self.database = database
        self.register = register
    }

    /// - Parameter context: Acts for the child.
    /// - Throws: ``Refusal``: `actingRefused`, `consentRequired`.
    package func callAsFunction(by context: RequestContext) throws {
        try register.apply(to: database)
        let lacking = try database.request(by: context) { batch in
            let lacking = batch.add(Consents.lacking)
            return { answers, _ in try answers.rows(lacking).map(\.value) }
        }
        if let child = context.caller.actingAs, lacking.contains(child) {
            throw Refusal(.consentRequired)
        }
    }
}
