package import Postgres

/// An area of doctor whose number of findings metrics show.
package enum DoctorArea: String, CaseIterable, Sendable {
    case data, addresses, timestamps
    case auditLog = "audit_log"
    case schema, rights, issuers

    /// Whether the worker examines it every day. The other areas need files of the release or
    /// settings, so only `hearth-admin doctor` examines them.
    package var isExaminedDaily: Bool {
        switch self {
        case .data, .addresses, .timestamps, .auditLog: true
        case .schema, .rights, .issuers: false
        }
    }
}

/// A part of the daily examination.
package struct ExaminationPart: RowDecodable, Sendable {
    /// The area: the raw value of a ``DoctorArea``.
    package let area: String
    /// The check of the data, or the table; empty if the area has only one part.
    package let part: String

    package static let row = RowDecoder(Self.init)
}

/// The latest result of an area.
package struct DoctorResult: RowDecodable, Sendable {
    /// The area: the raw value of a ``DoctorArea``.
    package let area: String
    /// Number of findings that were not repaired.
    package let findings: Int32
    /// Seconds since the area was examined.
    package let ageSeconds: Double

    package static let row = RowDecoder(Self.init)
}

/// Statements of the daily examination and of the results of doctor.
package enum DoctorResults {
    /// Maximum number of faults of each kind that a check of the data returns.
    package static let limit = 500

    /// Returns the parts of the daily examination, in their order.
    package static let parts = Statement<ExaminationPart>(
        "SELECT area, part FROM app.daily_examination()")

    /// Returns the number of findings in a part. Parameters: area, part, maximum number of each
    /// kind.
    package static let count = Statement<Scalar<Int32>, String, String, Int32>(
        "SELECT app.count_findings($1, $2, $3)")

    /// Stores the number of findings in an area; does nothing on a standby. Parameters: area,
    /// number.
    package static let record = Statement<NoRow, String, Int32>(
        "SELECT FROM (SELECT app.record_findings($1, $2)) AS recorded")

    /// Returns the latest result of each area that was examined.
    package static let latest = Statement<DoctorResult>(
        "SELECT area, findings, age_seconds FROM app.latest_findings()")
}
