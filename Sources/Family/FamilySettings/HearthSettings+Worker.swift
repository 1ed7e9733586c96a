package import Configuration

extension HearthSettings {
    /// Connection string of the database for the worker.
    package static let workerDatabaseURL = Setting<String>.required(
        "HEARTH_WORKER_DATABASE_URL", .databaseURL, isSecret: true,
        "The connection string of the database, as the role hearth_worker.")

    /// Address at which the worker serves its metrics. It shares its name with the API's setting,
    /// so `all` does not list it again.
    package static let workerMetricsListen = Setting<ListenAddress?>.optional(
        metricsListen.declaration.name, .listenAddress,
        "The address that serves /metrics, /healthz and /readyz. It must differ from "
            + "hearth-api's. Default: they are not served.")

    /// The mail server that messages are submitted to.
    package static let smtpURL = Setting<MailServerURL?>.optional(
        "HEARTH_SMTP_URL", .smtpURL, mayHoldSecret: true,
        "The mail server. Default: messages are written to HEARTH_OUTBOX_DIR.")
    /// Whether messages are sent encrypted.
    package static let smtpTLS = Setting<String>.defaulted(
        "HEARTH_SMTP_TLS", .word(["required", "none"]), default: "required",
        "Whether the mail server must use TLS. 'none' is only allowed for a server on this "
            + "machine: localhost, 127.0.0.0/8 or [::1].")
    /// User name for the mail server.
    package static let smtpUser = Setting<String?>.optional(
        "HEARTH_SMTP_USER", .text, isSecret: true,
        "The user name for the mail server. With some providers it is as secret as a password.")
    /// Password for the mail server.
    package static let smtpPassword = Setting<Secret?>.optional(
        "HEARTH_SMTP_PASSWORD", .secret(), neededWith: "HEARTH_SMTP_USER", isSecret: true,
        "The password of HEARTH_SMTP_USER.")
    /// File with the certificates to trust.
    package static let smtpCertificates = Setting<String?>.optional(
        "HEARTH_SMTP_CA_FILE", .file,
        "Certificates, in PEM, that verify the mail server instead of the system's certificates.")
    /// Sender of messages.
    package static let mailFrom = Setting<String?>.optional(
        "HEARTH_MAIL_FROM", .text, neededWith: "HEARTH_SMTP_URL",
        "The sender of messages, such as 'Hearth <hearth@example.org>'.")
    /// Address for replies to messages.
    package static let mailReplyTo = Setting<String?>.optional(
        "HEARTH_MAIL_REPLY_TO", .text, "The address for replies to messages.")
    /// Folder that messages are written to if there is no mail server.
    package static let outboxFolder = Setting<String>.defaulted(
        "HEARTH_OUTBOX_DIR", .folder, default: ".local/outbox",
        "The folder for messages (.eml files) if no mail server is set.")
    /// Number of threads that send messages.
    package static let mailThreads = Setting<Int>.defaulted(
        "HEARTH_MAIL_THREADS", .integer(2...64), default: "4", "Threads for sending messages.")

    /// The settings of the mail server and of messages.
    package static let mailDelivery: [any DeclaredSetting] = [
        smtpURL, smtpTLS, smtpUser, smtpPassword, smtpCertificates, mailFrom, mailReplyTo,
        outboxFolder,
    ]
    /// The worker's e-mail settings.
    package static let mail: [any DeclaredSetting] = mailDelivery + [mailThreads]

    /// File with the certificates that verify webhook receivers.
    package static let webhookCertificates = Setting<String?>.optional(
        "HEARTH_WEBHOOK_CA_FILE", .file,
        "Certificates, in PEM, that verify webhook receivers instead of the system's certificates.")
    /// Whether webhooks may be sent to this machine.
    package static let webhookLoopback = Setting<Bool>.defaulted(
        "HEARTH_WEBHOOK_LOOPBACK", .toggle, default: "off",
        "Whether webhooks may also be sent to this machine itself, with or without TLS. For "
            + "development. Other addresses must be public in any case.")
    /// Number of days that webhook events are kept.
    package static let webhookEventsDays = days(
        "HEARTH_KEEP_WEBHOOK_EVENTS_DAYS", 30, "webhook events are kept, delivered or not")

    /// The worker's settings for webhooks.
    package static let webhooks: [any DeclaredSetting] = [
        webhookCertificates, webhookLoopback, webhookEventsDays,
    ]
}
