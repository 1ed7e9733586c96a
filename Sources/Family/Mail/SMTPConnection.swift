import CCurl

/// A libcurl handle, which reuses its connection for the next message.
///
/// Sendable although it is mutable: it belongs to one owner at a time, either the transport's list
/// or the thread that took it out, and moves between them under the list's lock.
final class SMTPConnection: @unchecked Sendable {
    private let handle: UnsafeMutableRawPointer
    private let settings: SMTPTransport.Settings
    /// Whether the server of the current connection offers SMTPUTF8.
    private var offersUTF8 = false

    /// Returns nil when memory has run out.
    init?(_ settings: SMTPTransport.Settings) {
        guard let handle = curl_easy_init() else { return nil }
        self.handle = handle
        self.settings = settings
    }

    deinit { curl_easy_cleanup(handle) }

    /// State that the callbacks share with the running call.
    private final class Transfer {
        var content: [UInt8]
        var position = 0
        var dialogue: SMTPDialogue
        var isAbandoned = false
        let handle: UnsafeMutableRawPointer
        let handoverTimeoutSeconds: Int
        let mayGo: () -> Bool

        init(
            _ content: [UInt8], _ handle: UnsafeMutableRawPointer, _ timeout: Int,
            offersUTF8: Bool, _ mayGo: @escaping () -> Bool
        ) {
            dialogue = SMTPDialogue(offersUTF8: offersUTF8)
            self.content = content
            self.handle = handle
            handoverTimeoutSeconds = timeout
            self.mayGo = mayGo
        }
    }

    /// Sends a message; over a new connection if the current one turns out to be stale.
    ///
    /// An address beyond ASCII is never sent to a server that doesn't offer SMTPUTF8, which could
    /// mistake it for another one. libcurl would send it, so the server is asked first.
    func send(_ message: MailMessage, mayGo: () -> Bool) -> Delivery {
        if !message.to.isASCII, let obstacle = obstacleToUTF8(message.from) { return obstacle }
        let first = attempt(message, mayGo, isFresh: false)
        guard first.wasStale else { return first.result }
        return attempt(message, mayGo, isFresh: true).result
    }

    /// Returns the failure if the server can't receive an address beyond ASCII; nil if it can.
    private func obstacleToUTF8(_ sender: Mailbox) -> Delivery? {
        for isFresh in [false, true] {
            let transfer = Transfer(
                [], handle, settings.handoverTimeoutSeconds, offersUTF8: offersUTF8
            ) { false }
            configure(sender, transfer, nil, isFresh: isFresh)
            hearth_curl_set_long(handle, CURLOPT_NOBODY, 1)
            hearth_curl_set_text(handle, CURLOPT_CUSTOMREQUEST, "NOOP")
            let (code, opened) = perform(transfer)
            if code == CURLE_OK {
                return offersUTF8
                    ? nil
                    : .undeliverable(
                        "the address is not ASCII, and the mail server doesn't offer SMTPUTF8")
            }
            let isStale = !isFresh && opened == 0
            if !isStale { return meaning(of: code, transfer.dialogue, needsUTF8: true) }
        }
        return .tryLater("the connection was lost")
    }

    /// Runs the configured transfer; also returns the number of connections opened for it.
    private func perform(_ transfer: Transfer) -> (code: CURLcode, opened: Int) {
        let code = withExtendedLifetime(transfer) { curl_easy_perform(handle) }
        // The transfer ends here; the handle must not keep pointers to it.
        hearth_curl_set_pointer(handle, CURLOPT_READDATA, nil)
        hearth_curl_set_pointer(handle, CURLOPT_DEBUGDATA, nil)
        offersUTF8 = transfer.dialogue.offersUTF8
        var opened = 0
        hearth_curl_get_long(handle, CURLINFO_NUM_CONNECTS, &opened)
        return (code, opened)
    }

    private func attempt(
        _ message: MailMessage, _ mayGo: () -> Bool, isFresh: Bool
    ) -> (result: Delivery, wasStale: Bool) {
        withoutActuallyEscaping(mayGo) { mayGo in
            let transfer = Transfer(
                message.bytes, handle, settings.handoverTimeoutSeconds,
                offersUTF8: offersUTF8, mayGo)
            let recipients = curl_slist_append(nil, message.to.address)
            defer { curl_slist_free_all(recipients) }
            configure(message.from, transfer, recipients, isFresh: isFresh)
            let (code, opened) = perform(transfer)
            // libcurl accepts only code 250 as success.
            if code == CURLE_OK || transfer.dialogue.tookMessage { return (.accepted, false) }
            if transfer.isAbandoned { return (.abandoned, false) }
            let dialogue = transfer.dialogue
            let reply = dialogue.reply ?? 0
            let isSilence = reply < 400 || reply == 421
            let wasStale =
                !isFresh && opened == 0 && dialogue.stage != .handover && isSilence
            return (
                meaning(of: code, dialogue, needsUTF8: !message.to.isASCII), wasStale
            )
        }
    }

    private func meaning(
        of code: CURLcode, _ dialogue: SMTPDialogue, needsUTF8: Bool
    ) -> Delivery {
        let tlsFailures = [
            CURLE_USE_SSL_FAILED, CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION,
            CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_ISSUER_ERROR, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_INVALIDCERTSTATUS,
        ]
        let words = curl_easy_strerror(code).map { String(cString: $0) } ?? "failed"
        return dialogue.meaning(
            isTLSFailure: tlsFailures.contains { $0 == code },
            isLoginDenied: code == CURLE_LOGIN_DENIED, needsUTF8: needsUTF8, reason: words)
    }

    private func configure(
        _ sender: Mailbox, _ transfer: Transfer,
        _ recipients: UnsafeMutablePointer<curl_slist>?,
        isFresh: Bool
    ) {
        // Resets the options but keeps the connection.
        curl_easy_reset(handle)
        let texts: [(CURLoption, String?)] = [
            (CURLOPT_URL, settings.url + "/" + settings.greetingName),
            (CURLOPT_MAIL_FROM, sender.address), (CURLOPT_USERNAME, settings.user),
            (CURLOPT_PASSWORD, settings.password), (CURLOPT_CAINFO, settings.certificatesPath),
            // Proxies of the environment are ignored.
            (CURLOPT_PROXY, ""), (CURLOPT_PROTOCOLS_STR, "smtp,smtps"),
        ]
        for (option, text) in texts {
            if let text { hearth_curl_set_text(handle, option, text) }
        }
        let security = settings.requiresTLS ? CURLUSESSL_ALL : CURLUSESSL_NONE
        let numbers: [(CURLoption, Int)] = [
            (CURLOPT_UPLOAD, 1), (CURLOPT_NOSIGNAL, 1), (CURLOPT_VERBOSE, 1),
            (CURLOPT_USE_SSL, Int(security.rawValue)),
            (CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
            (CURLOPT_CONNECTTIMEOUT, settings.connectTimeoutSeconds),
            (CURLOPT_SERVER_RESPONSE_TIMEOUT, settings.replyTimeoutSeconds),
            (CURLOPT_LOW_SPEED_LIMIT, 1), (CURLOPT_LOW_SPEED_TIME, settings.replyTimeoutSeconds),
            (CURLOPT_TIMEOUT, settings.handoverTimeoutSeconds + 300),
            (CURLOPT_FRESH_CONNECT, isFresh ? 1 : 0),
        ]
        for (option, number) in numbers { hearth_curl_set_long(handle, option, number) }
        hearth_curl_set_size(
            handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(transfer.content.count))
        hearth_curl_set_list(handle, CURLOPT_MAIL_RCPT, recipients)
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        hearth_curl_set_pointer(handle, CURLOPT_READDATA, context)
        hearth_curl_set_pointer(handle, CURLOPT_DEBUGDATA, context)
        hearth_curl_set_reader(handle) { SMTPConnection.read($0, $1, $2, $3) }
        hearth_curl_set_observer(handle) { SMTPConnection.observe($1, $2, $3, $4) }
    }

    /// Gives libcurl the next bytes of the message; before the first ones, checks whether it may be
    /// sent.
    private static func read(
        _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
        _ context: UnsafeMutableRawPointer?
    ) -> Int {
        guard let buffer, let context else { return Int(CURL_READFUNC_ABORT) }
        let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        if transfer.position == 0, !transfer.mayGo() {
            transfer.isAbandoned = true
            return Int(CURL_READFUNC_ABORT)
        }
        let length = min(size * count, transfer.content.count - transfer.position)
        transfer.content.withUnsafeBytes { bytes in
            UnsafeMutableRawPointer(buffer).copyMemory(
                from: bytes.baseAddress.map { $0 + transfer.position } ?? UnsafeRawPointer(buffer),
                byteCount: length)
        }
        transfer.position += length
        if transfer.position == transfer.content.count {
            // From here on a reply may take long; libcurl reads these timeouts when it begins to
            // wait.
            hearth_curl_set_long(
                transfer.handle, CURLOPT_SERVER_RESPONSE_TIMEOUT, transfer.handoverTimeoutSeconds)
            hearth_curl_set_long(
                transfer.handle, CURLOPT_LOW_SPEED_TIME, transfer.handoverTimeoutSeconds)
            transfer.dialogue.sentContent()
        }
        return length
    }

    /// Passes the lines of the conversation to ``SMTPDialogue``.
    private static func observe(
        _ kind: curl_infotype, _ text: UnsafeMutablePointer<CChar>?, _ count: Int,
        _ context: UnsafeMutableRawPointer?
    ) -> Int32 {
        guard let text, let context,
            kind == CURLINFO_HEADER_OUT || kind == CURLINFO_HEADER_IN
        else { return 0 }
        let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        let bytes = UnsafeRawBufferPointer(start: text, count: count)
        for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
            if kind == CURLINFO_HEADER_OUT {
                transfer.dialogue.sent(line)
            } else {
                transfer.dialogue.received(line)
            }
        }
        return 0
    }
}
