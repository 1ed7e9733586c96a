import Domain

/// Machine-readable code of a problem.
enum ProblemCode: Hashable, Sendable {
    case fault(FaultCode)
    case refusal(RefusalCode)

    /// All codes, in the order of the API's description.
    static let allCases =
        FaultCode.allCases.map(ProblemCode.fault) + RefusalCode.allCases.map(ProblemCode.refusal)

    /// Returns nil for a code that only another release knows.
    init?(rawValue: String) {
        if let code = FaultCode(rawValue: rawValue) {
            self = .fault(code)
        } else if let code = RefusalCode(rawValue: rawValue) {
            self = .refusal(code)
        } else {
            return nil
        }
    }

    /// The `code` member of the response.
    var rawValue: String {
        switch self {
        case .fault(let code): code.rawValue
        case .refusal(let code): code.rawValue
        }
    }

    var status: Int {
        switch self {
        case .fault(let code): code.status
        case .refusal(let code): code.response.status
        }
    }

    /// Message of a refusal without details, or the situation in which a client gets a fault.
    var text: String {
        switch self {
        case .fault(let code): code.meaning
        case .refusal(let code): code.response.message
        }
    }

    /// Remedy for the problem, for a client's programmer.
    var advice: String {
        switch self {
        case .fault(let code): code.advice
        case .refusal(let code): code.advice
        }
    }
}
