package import Configuration

extension HearthSettings {
    /// The collector that traces are delivered to.
    package static let otlpURL = Setting<String?>.optional(
        "HEARTH_OTLP_URL", .baseURL,
        "The collector of traces that speaks OTLP over HTTP, such as http://localhost:4318; "
            + "/v1/traces is added. Without TLS it must be on this machine or in a private "
            + "network. Default: nothing is traced.")
    /// Value of the header `Authorization` for the collector.
    package static let otlpAuthorization = Setting<Secret?>.optional(
        "HEARTH_OTLP_AUTHORIZATION", .secret(), isSecret: true,
        "The header Authorization for HEARTH_OTLP_URL, such as 'Bearer ...'. Default: none.")
    /// Sampling: one in this many requests and jobs is traced.
    package static let otlpOneIn = Setting<Int>.defaulted(
        "HEARTH_OTLP_ONE_IN", .integer(1...1_000_000), default: "100",
        "Traces one in N requests and jobs. Requests whose traceparent says that their caller "
            + "records the trace are traced as well, up to ten a second.")

    /// The settings of traces.
    package static let tracing: [any DeclaredSetting] = [otlpURL, otlpAuthorization, otlpOneIn]
}
