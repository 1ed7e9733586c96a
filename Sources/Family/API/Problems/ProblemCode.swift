import Domain

/// What can be wrong, as programs tell it apart.
enum ProblemCode: Hashable, Sendable {
    case fault(FaultCode)
    case refusal(RefusalCode)

    /// In the order in which the API's description lists them.
    static let allCases =
        FaultCode.allCases.map(ProblemCode.fault) + RefusalCode.allCases.map(ProblemCode.refusal)

    /// Nil for what only another release knows.
    init?(rawValue: String) {
        if let code = FaultCode(rawValue: rawValue) {
            self = .fault(code)
        } else if let code = RefusalCode(rawValue: rawValue) {
            self = .refusal(code)
        } else {
            return nil
        }
    }

    /// The `code` of the answer.
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

    /// The message if nothing but the code is known; of a fault, when a client gets it.
    var text: String {
        switch self {
        case .fault(let code): code.meaning
        case .refusal(let code): code.response.message
        }
    }

    /// What to do about it.
    var advice: String {
        switch self {
        case .fault(let code): code.advice
        case .refusal(let code): code.advice
        }
    }
}
