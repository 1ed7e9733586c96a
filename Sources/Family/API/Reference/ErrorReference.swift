/// Content of `docs/errors.md`: every code that a client can get, generated from the error table.
enum ErrorReference {
    static var text: String {
        """
        # Errors

        Made from the error table by `scripts/update-docs`; don't edit it by hand.

        The response to a failed request is `application/problem+json` (RFC 9457). `code` is for \
        programs and keeps its meaning; `detail` is for people, and may say more than the message \
        below. A new release can add codes: handle an unknown code according to its status. \
        `/openapi.json` lists the codes of each route.

        ## Refusals

        | code | status | message | what to do |
        |---|---|---|---|
        \(rows(of: ProblemCode.allCases.filter(\.isRefusal)))

        ## Faults

        Errors in the form of a request, and failures of the server.

        | code | status | when | what to do |
        |---|---|---|---|
        \(rows(of: ProblemCode.allCases.filter { !$0.isRefusal }))

        """
    }

    private static func rows(of codes: [ProblemCode]) -> String {
        codes.sorted { $0.status < $1.status }.map { code in
            "| `\(code.rawValue)` | \(code.status) | \(code.text) | \(code.advice) |"
        }.joined(separator: "\n")
    }
}

extension ProblemCode {
    fileprivate var isRefusal: Bool { if case .refusal = self { true } else { false } }
}
