/// The last steps of a conversation with a mail server, and the meaning of its end.
struct SMTPDialogue: Sendable, Equatable {
    /// The step that the conversation has reached.
    enum Stage: String, Sendable {
        case connecting = "connecting"
        case greeting = "EHLO"
        case encryption = "STARTTLS"
        case authentication = "AUTH"
        case sender = "MAIL"
        case recipient = "RCPT"
        case content = "DATA"
        /// The final dot is sent: without a reply it is unknown whether the server accepted the
        /// message.
        case handover = "the end of DATA"
    }

    private(set) var stage = Stage.connecting
    /// Code of the reply to the last command; nil before it arrives.
    private(set) var reply: Int?
    /// Enhanced status of that reply, e.g. `5.1.1` (RFC 3463).
    private(set) var status: String?
    /// Whether the reply continues on the next line.
    private var isContinued = false
    /// Whether the server accepts addresses beyond ASCII (RFC 6531); known from its reply to EHLO
    /// on.
    private(set) var offersUTF8: Bool
    /// If true, the rest of the conversation is not about the message.
    private var isOver = false

    /// - Parameter offersUTF8: Whether the server of an open connection offers SMTPUTF8.
    init(offersUTF8: Bool = false) { self.offersUTF8 = offersUTF8 }

    /// Records a line sent to the server. Only the command is stored, because text after AUTH may
    /// be secret.
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
        if next == .greeting { offersUTF8 = false }
        forgetReply()
    }

    /// Records that the whole message is sent.
    mutating func sentContent() {
        stage = .handover
        forgetReply()
    }

    private mutating func forgetReply() {
        reply = nil
        status = nil
        isContinued = false
    }

    /// Records a line received from the server.
    mutating func received(_ line: some StringProtocol) {
        let digits = line.prefix(3)
        guard !isOver, digits.utf8.count == 3, let code = Int(digits), (200...599).contains(code)
        else {
            return
        }
        // A later line of the same reply may lack the status of the first.
        if !isContinued || code != reply { status = nil }
        reply = code
        isContinued = line.dropFirst(3).first == "-"
        if stage == .greeting, line.dropFirst(4).uppercased() == "SMTPUTF8" { offersUTF8 = true }
        let word = line.dropFirst(4).prefix { !$0.isWhitespace }
        let parts = word.split(separator: ".", omittingEmptySubsequences: false)
        let isStatus = parts.count == 3 && parts.allSatisfy { Int($0) != nil && $0.count <= 3 }
        if isStatus { status = String(word) }
    }

    /// Whether the server has accepted the message: any reply of class 2 after the final dot means
    /// that (RFC 5321, section 4.2.1).
    var tookMessage: Bool {
        guard stage == .handover, let reply else { return false }
        return (200..<300).contains(reply)
    }

    /// The failure as text: stage and codes, and no text from the server or from a person.
    var description: String {
        var text = "at \(stage.rawValue)"
        if let reply { text += ": \(reply)" }
        if let status { text += " \(status)" }
        return text
    }

    /// Returns the outcome for the message after a failed conversation.
    ///
    /// - Parameters:
    ///   - isTLSFailure: Whether encryption was required but not available.
    ///   - isLoginDenied: Whether the server refused the login.
    ///   - needsUTF8: Whether the recipient's address is not ASCII.
    ///   - reason: The transport's description, without data.
    func meaning(
        isTLSFailure: Bool, isLoginDenied: Bool, needsUTF8: Bool = false, reason: String
    ) -> Delivery {
        let text = "\(reason) \(description)"
        if isTLSFailure { return .relayUnusable(text) }
        guard let reply, reply >= 400 else {
            return isLoginDenied ? .relayUnusable(text) : .tryLater(text)
        }
        if reply < 500 { return .tryLater(text) }
        // 530 and similar codes require authentication, whatever the command was (RFC 4954, section
        // 6).
        let isAboutUs = [530, 534, 535, 538].contains(reply)
        switch stage {
        case .recipient, .content, .handover:
            if isAboutUs { return .relayUnusable(text) }
            // 5.6.7 reports the same for a server further on (RFC 6531, section 3.7.4.1).
            let isBeyond = needsUTF8 && (!offersUTF8 || status == "5.6.7")
            if isBeyond { return .undeliverable(text) }
            return saysDead ? .refused(text) : .rejected(text)
        default: return .relayUnusable(text)
        }
    }

    /// Whether a permanent refusal means that the address is dead (RFC 3463, sections 3.2 and 3.3):
    /// there is no such mailbox or domain (5.1.x), or the mailbox is disabled (5.2.1). 5.1.7, 5.1.8
    /// and 5.1.9 are about the sender. Without a status, the code of the reply to RCPT decides (RFC
    /// 5321, section 4.2.3).
    private var saysDead: Bool {
        guard let status else {
            return stage == .recipient && [550, 551, 553].contains(reply ?? 0)
        }
        if status == "5.2.1" { return true }
        return status.hasPrefix("5.1.") && !["5.1.7", "5.1.8", "5.1.9"].contains(status)
    }
}
