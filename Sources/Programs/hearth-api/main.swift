import API
import CommandLine
import Configuration
import FamilySettings

let openAPI = Parameter<Bool>.flag(
    "openapi", "Print the API's description (OpenAPI 3.1) and exit. Needs no settings.")
let typeScript = Parameter<Bool>.flag(
    "typescript",
    "Print the API's types and a client as one TypeScript file without dependencies, and exit. "
        + "Needs no settings.")

Program(
    Command(
        "hearth-api", "Serves Hearth's HTTP API.",
        discussion: [
            "Runs until SIGTERM or Ctrl-C, then completes the requests in progress and exits. A "
                + "second signal stops it at once."
        ],
        parameters: [openAPI, typeScript],
        action: { values in
            if values[openAPI] {
                Terminal.standardOutput.write(Reference.openAPI)
                return ExitCode.success
            }
            if values[typeScript] {
                Terminal.standardOutput.write(Reference.typeScript)
                return ExitCode.success
            }
            return try APIServer(values.settings(APIServer.settings)).run()
        }),
    version: HearthVersion.current,
    exitCodes: [
        .init(ExitCode.success, "stopped by a signal"),
        .init(ExitCode.failure, "could not listen, or stopped with unfinished requests"),
        .init(ExitCode.configuration, "a setting is missing or wrong"),
    ],
    settings: APIServer.settings, knownSettings: HearthSettings.all,
    checks: APIServer.checks, check: { try APIServer($0).warnings }, isService: true
).main()
