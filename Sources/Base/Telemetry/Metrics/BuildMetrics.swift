import CBuild

extension Metrics {
    /// Adds the build information, so that changes in other metrics can be related to releases.
    package func addBuild(version: String) {
        let values = [
            version, String(cString: hearth_build_revision()), Self.swiftVersion,
        ]
        gauges(
            "hearth_build_info", "Build information; always 1.",
            ["version", "revision", "swift_version"]
        ) { [(values, 1)] }
    }

    /// The compiler's version, as far as a source can ask for it.
    private static var swiftVersion: String {
        #if compiler(>=6.4)
            "6.4+"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }
}
