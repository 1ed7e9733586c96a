import Basics
import Doctor
import Domain
import HTTPServer
import Repositories
import UseCases

/// Doctor: the latest result of each area, and an examination whose findings come as they are made.
enum DoctorScreen {
    static let routes: [ConsoleRoute] = [.page("/doctor", show)]

    private static func show(_ visit: ConsoleVisit) throws -> Response {
        let areas = try visit.read { try $0.findings() }
        let parts = ConsoleParts(visit)
        let runs = visit.services.doctor
        let subject = ConsoleSubject.doctor(isRunning: runs.isRunning)
        return visit.reply(
            "Doctor",
            """
            <h1>Doctor</h1>
            \(parts.done())<p>Examines data, schema, rights, jobs, webhooks, issuers and standbys. \
            The worker examines a part of it every day.</p>
            \(parts.operations(subject))
            \(examination(visit))
            <h2>Latest results</h2>
            \(results(areas))
            """, section: .doctor, follows: .doctor, isUnderWay: runs.isRunning)
    }

    private static func results(_ areas: [DoctorResult]) -> HTML {
        ConsoleParts.table(
            "Latest results", ["Area", "Findings", "Examined"],
            areas.map { area in
                let count = "\(area.findings)"
                return [
                    ConsoleParts.code(area.area),
                    area.findings == 0
                        ? ConsoleParts.badge(count, "good") : ConsoleParts.badge(count, "bad"),
                    HTML("\(ConsoleParts.age(area.ageSeconds))"),
                ]
            }, empty: "No area has been examined yet.")
    }

    private static func examination(_ visit: ConsoleVisit) -> HTML {
        guard let (run, left) = visit.services.doctor.latest else { return "" }
        // The name can be an address.
        let isShown = visit.may(.runDoctor)
        let what =
            (run.repairs ? "Examination with repairs" : "Examination")
            + (isShown ? " by \(run.operatorName)" : "")
        let started = ConsoleParts.time(Timestamp(microseconds: run.startedAt * 1_000_000))
        // A finding may quote an address, or a name of a domain.
        let list = run.findings.reduce(into: HTML("")) { html, finding in
            html = "\(html)\(item(finding, isShown))"
        }
        let more: HTML =
            left == 0
            ? ""
            : "<p>\(ConsoleParts.count(left, "more finding")) not shown: repair these first.</p>\n"
        let part: HTML = run.part.isEmpty ? "" : "<strong>\(run.part)</strong>, "
        let state: HTML =
            if run.endedAt == nil {
                """
                <p role="status">\(what) since \(started): \(part)\
                \(ConsoleParts.count(run.findings.count, "finding")) so far.</p>

                """
            } else if let failure = run.failure {
                """
                <p class="alert" role="alert">\(what) of \(started) could not be completed: \
                \(isShown ? failure : "an admin sees the reason")</p>

                """
            } else if run.findings.isEmpty {
                "<p class=\"done\" role=\"status\">\(what) of \(started): no faults found.</p>\n"
            } else {
                """
                <p role="status">\(what) of \(started): \
                \(ConsoleParts.count(run.findings.count + left, "finding")).</p>

                """
            }
        return """
            <h2>Examination of this console</h2>
            \(state)<ul class="troubles">
            \(list)</ul>
            \(more)
            """
    }

    private static func item(_ finding: Finding, _ isShown: Bool) -> HTML {
        guard isShown else { return "<li>\(ConsoleParts.code(finding.kind))</li>\n" }
        let family: HTML =
            finding.family.map { " in \(ConsoleParts.link("/families/\($0)", "a family"))" } ?? ""
        let subject: HTML =
            finding.subject.map { ", about \(ConsoleParts.link("/people/\($0)", "a person"))" }
            ?? ""
        let remedy: HTML =
            finding.isRepaired
            ? "<p>\(ConsoleParts.badge("repaired", "good"))</p>"
            : "<pre class=\"remedy\" tabindex=\"0\">\(finding.remedy)</pre>"
        return """
            <li><p>\(ConsoleParts.code(finding.kind))\(family)\(subject): \(finding.message)</p>
            \(remedy)</li>

            """
    }
}
