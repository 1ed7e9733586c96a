package import Configuration
import FamilySettings
package import Telemetry
package import Tracing

extension TraceParts {
    /// The check of the collector's address.
    package static let checks = [
        SettingCheck(HearthSettings.otlpURL) { base in
            guard let base, TraceExporter.address(of: base) == nil else { return [] }
            return ["expected an address such as http://localhost:4318"]
        }
    ]

    /// Returns the components for the settings of a program; nil if they name no collector.
    ///
    /// - Parameter settings: `HearthSettings.tracing`, read with ``checks``.
    package static func make(
        _ settings: Settings, of program: String, _ metrics: Metrics, _ log: Log
    ) -> TraceParts? {
        guard let base = settings[HearthSettings.otlpURL],
            let address = TraceExporter.address(of: base)
        else {
            TraceExporter.declareCounters(in: metrics)
            return nil
        }
        var exporter = TraceExporter.Settings(
            address: address,
            service: TracedService(
                name: program, version: HearthVersion.current,
                instance: String(UInt64.random(in: 0...UInt64.max), radix: 16)))
        exporter.authorization = settings[HearthSettings.otlpAuthorization]?.reveal()
        return TraceParts(exporter, oneIn: settings[HearthSettings.otlpOneIn], metrics, log)
    }
}
