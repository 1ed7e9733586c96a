/// What was said last in a conversation with a mail server, and what its end means.
struct SMTPDialogue: Sendable, Equatable {
    /// How far the conversation went.
    enum Stage: String, Sendable {
        case connecting = "connecting"
        case greeting = "EHLO"
        case encryption = "STARTTLS"
        case authentication = "AUTH"
        case sender = "MAIL"
        case recipient = "RCPT"
        case content = "DATA"
        /// The final dot is out: whether the message was taken is unknown without a reply.
        case handover = "the end of DATA"
    }

    private(set) var stage = Stage.connecting
    /// The code of the reply to the last command; nil before it comes.
    private(set) var reply: Int?
    /// The enhanced status of that reply, e.g. `5.1.1` (RFC 3463).
    private(set) var status: String?
    /// Nothing that follows is about the message.
    private var isOver = false

    init() {}

    /// A line went to the server. Only commands count: what follows AUTH may be secret.
    mutating func sent(_ line: some StringProtocol) {
        let verb = line.prefix { !$0.isWhitespace }.uppercased()
        if verb == "QUIT" { isOver = true }
        let next: Stage? =
            switch verb {
            case "EHLO", "HELO": .greeting
            case "STARTTLS": .encryption
            case "AUTH": .authentication
            case "MAIL": .sender
            case "RCPT": .recipient
            case "DATA": .content
            default: nil
            }
        guard let next else { return }
        stage = next
        reply = nil
        status = nil
    }

    /// The whole message is out.
    mutating func sentContent() {
        stage = .handover
        reply = nil
        status = nil
    }

    /// A line came from the server.
    mutating func received(_ line: some StringProtocol) {
        let digits = line.prefix(3)
        guard !isOver, digits.utf8.count == 3, let code = Int(digits), (200...599).contains(code)
        else {
            return
        }
        reply = code
        let word = line.dropFirst(4).prefix { !$0.isWhitespace }
        let parts = word.split(separator: ".", omittingEmptySubsequences: false)
        let isStatus = parts.count == 3 && parts.allSatisfy { Int($0) != nil && $0.count <= 3 }
        status = isStatus ? String(word) : nil
    }

    /// The failure in words: stage and codes, nothing that the server or a person wrote.
    var description: String {
        var text = "at \(stage.rawValue)"
        if let reply { text += ": \(reply)" }
        if let status { text += " \(status)" }
        return text
    }

    /// What a failed conversation means for the message.
    ///
    /// - Parameters:
    ///   - isTLSFailure: Encryption was asked for and could not be had.
    ///   - isLoginDenied: The server does not know us.
    ///   - reason: What the transport says of it, without data.
    func meaning(isTLSFailure: Bool, isLoginDenied: Bool, reason: String) -> MailResult {
        let text = "\(reason) \(description)"
        if isTLSFailure { return .relayUnusable(text) }
        guard let reply, reply >= 400 else {
            return isLoginDenied ? .relayUnusable(text) : .tryLater(text)
        }
        if reply < 500 { return .tryLater(text) }
        // 530 and its kin ask for authentication, whatever the command was (RFC 4954, section 6).
        let isAboutUs = [530, 534, 535, 538].contains(reply)
        switch stage {
        case .recipient, .content, .handover:
            return isAboutUs ? .relayUnusable(text) : .refused(text)
        default: return .relayUnusable(text)
        }
    }
}
