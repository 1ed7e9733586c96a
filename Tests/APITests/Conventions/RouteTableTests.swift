import HTTPServer
import Testing
import UseCases

@testable import API

@Suite("The route table") struct RouteTableTests {
    @Test("every limit on attempts is used by a route")
    func limits() {
        let limits = Set(Routes.table.flatMap(\.limits))
        #expect(limits == Set(RouteLimit.allCases))
        #expect(Set(limits.flatMap(\.attempts)) == Set(AttemptLimit.allCases))
    }

    @Test("changes by signed-in callers take an idempotency key, except for the listed operations")
    func keys() {
        let keyless = Routes.table.filter { $0.needsCaller && $0.isMutation && !$0.takesKey }
        #expect(
            Set(keyless.map(\.operation.name)) == [
                "batch", "eraseAccount", "changePassword", "addIdentity", "delegate",
                "addPasskey", "createPageTicket", "requestAddressChange", "changeAddress",
            ])
    }
}
