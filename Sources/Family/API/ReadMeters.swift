import Telemetry
import UseCases

/// Metrics of the servers that serve reads.
enum ReadMeters {
    /// Declares the metrics; fewer of them if all reads go to the primary.
    static func declare(in metrics: Metrics, _ reads: any ReadRouter) {
        metrics.sampledCounter(
            "hearth_answers_waited_out_total",
            "Responses to changes that waited until the leases of standbys expired."
        ) { Double(reads.timedOutWaits) }
        guard let standbys = reads as? StandbyReads else { return }
        let counts = standbys.counts
        metrics.sampledCounters(
            "hearth_reads_total", "Reads, by the server that ran them: primary or standby.",
            ["target"]
        ) {
            [
                (["primary"], Double(counts.byPrimary)), (["standby"], Double(counts.byStandby)),
            ]
        }
        metrics.sampledCounters(
            "hearth_standby_refusals_total", "Reads sent to the primary, by reason.", ["reason"]
        ) {
            let refusals = counts.refusals
            return StandbyRefusal.allCases.map { ([$0.rawValue], Double(refusals[$0] ?? 0)) }
        }
        metrics.gauge("hearth_standbys", "Standbys that reads should go to.") {
            Double(standbys.standbyCounts.all)
        }
        metrics.gauge("hearth_standbys_serving", "Standbys that reads go to.") {
            Double(standbys.standbyCounts.serving)
        }
    }
}
