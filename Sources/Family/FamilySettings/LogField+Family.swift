package import Telemetry

extension LogField {
    /// A user, by the 128 bits of the id.
    package static func user(_ id: UInt128) -> LogField { LogField("userId", id: id) }

    /// A family, by the 128 bits of the id.
    package static func family(_ id: UInt128) -> LogField { LogField("familyId", id: id) }
}
