import Testing

@testable import CommandLine
@testable import Configuration
@testable import FamilySettings
@testable import Telemetry

private enum Sample {
    static let listen = Setting<ListenAddress>.defaulted(
        "HEARTH_LISTEN", .listenAddress, default: "127.0.0.1:8080", "Where it listens.")
    static let threads = Setting<Int>.required("HEARTH_THREADS", .integer(1...64), "Threads.")
    static let key = Setting<Secret>.required(
        "HEARTH_KEY", .secret(minimumBytes: 8), isSecret: true, "A key.")
    static let relay = Setting<String?>.optional("HEARTH_RELAY", .text, "The relay.")
    static let sender = Setting<String?>.optional(
        "HEARTH_SENDER", .text, neededWith: "HEARTH_RELAY", "The sender.")
    static let all: [any DeclaredSetting] = [listen, threads, key, relay, sender]

    static func read(
        _ environment: [String: String], config: String? = nil, _ wanted: [any DeclaredSetting]
    ) throws(SettingsError) -> Settings {
        try SettingsReader(environment: environment, knownSettings: all, configPath: config).read(
            wanted)
    }

    static func problems(
        _ environment: [String: String], config: String? = nil,
        _ wanted: [any DeclaredSetting] = all
    ) -> [String] {
        do {
            _ = try read(environment, config: config, wanted)
            return []
        } catch {
            return error.problems
        }
    }
}

@Suite("Reading settings")
struct SettingsTests {
    @Test("values come from the environment, the file, a secret's file, or the default")
    func origins() throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("key", "from a file\n")
        let config = try folder.write(
            "hearth.conf",
            """
            # a comment
            HEARTH_THREADS = 4
            HEARTH_KEY_FILE=key
              HEARTH_RELAY='smtp://relay'\t
            HEARTH_SENDER="a = b"
            """)
        let values = try Sample.read(["HEARTH_THREADS": "5"], config: config, Sample.all)
        #expect(values[Sample.threads] == 5)
        #expect(values[Sample.key].reveal() == "from a file")
        #expect(values[Sample.relay] == "smtp://relay")
        #expect(values[Sample.sender] == "a = b")
        #expect(values[Sample.listen].description == "127.0.0.1:8080")
    }

    @Test("the environment overrides the file, whichever way either provides a secret")
    func precedence() throws {
        let folder = try TemporaryFolder()
        let key = try folder.write("key", "environment")
        let config = try folder.write("hearth.conf", "HEARTH_KEY=configured")
        let values = try Sample.read(["HEARTH_KEY_FILE": key], config: config, [Sample.key])
        #expect(values[Sample.key].reveal() == "environment")
    }

    @Test("an empty value counts as absent")
    func empty() throws {
        #expect(
            Sample.problems(["HEARTH_THREADS": ""], [Sample.threads])
                == ["HEARTH_THREADS is missing: expected a whole number from 1 to 64"])
        let values = try Sample.read(["HEARTH_RELAY": "", "HEARTH_LISTEN": ""], [Sample.relay])
        #expect(values[Sample.relay] == nil)
    }

    @Test("all wrong settings are reported at once, with the expected form and the origin")
    func allAtOnce() throws {
        let folder = try TemporaryFolder()
        let config = try folder.write(
            "hearth.conf",
            """
            HEARTH_THREADS=many
            HEARTH_RELAY=x
            HEARTH_THREAD=5
            nonsense
            HEARTH_RELAY=y
            """)
        let file = "'\(config)'"
        #expect(
            Sample.problems(["HEARTH_LISTEN": "everywhere"], config: config) == [
                "\(file), line 4: expected NAME=VALUE",
                "\(file), line 5: 'HEARTH_RELAY' is also set in line 2",
                "\(file), line 3: 'HEARTH_THREAD' is not a setting; "
                    + "did you mean 'HEARTH_THREADS'?",
                "HEARTH_LISTEN can't be 'everywhere': expected an address and a port, "
                    + "such as 127.0.0.1:8080 or [::]:8080",
                "HEARTH_THREADS can't be 'many' (\(file), line 1): "
                    + "expected a whole number from 1 to 64",
                "HEARTH_KEY is missing: expected at least 8 bytes",
                "HEARTH_SENDER is missing, but HEARTH_RELAY needs it: expected some text",
            ])
    }

    @Test("a setting that is not requested may be missing")
    func wantedOnly() throws {
        #expect(Sample.problems([:], [Sample.listen, Sample.sender]).isEmpty)
    }

    @Test("no message contains a secret's value")
    func secrecy() throws {
        let problems = Sample.problems(["HEARTH_KEY": "hunter2"], [Sample.key])
        #expect(problems == ["HEARTH_KEY is invalid: expected at least 8 bytes"])
        let folder = try TemporaryFolder()
        let config = try folder.write("c", "hunter2 is no line\nHEARTH_KEY=hunter2")
        #expect(!Sample.problems([:], config: config).joined().contains("hunter2"))
    }

    @Test("a malformed line is repeated only if its name looks like a setting's")
    func secretLines() throws {
        let folder = try TemporaryFolder()
        let config = try folder.write(
            "c",
            """
            HEARTH_KEYS=1
            c2VjcmV0c2VjcmV0c2VjcmV0==
            postgresql://u:hunter2@h/db?sslmode=require
            postgresql://u:hunter2@h/db?sslmode=prefer
            hearth_keys=1
            """)
        let told = Sample.problems([:], config: config, [])
        let file = "'\(config)'"
        #expect(
            told == [
                "\(file), line 4: the text before '=' is also set in line 3",
                "\(file), line 1: 'HEARTH_KEYS' is not a setting; did you mean 'HEARTH_KEY'?",
                "\(file), line 2: the text before '=' is not a setting",
                "\(file), line 3: the text before '=' is not a setting",
                "\(file), line 5: 'hearth_keys' is not a setting; did you mean 'HEARTH_KEY'?",
            ])
        #expect(!told.joined().contains("hunter2") && !told.joined().contains("c2Vj"))
    }

    @Test(
        "a word that may contain a secret is not repeated",
        arguments: [
            "smtp://user:hunter2@mail:25", "smtp://hunter2@mail", "smtp://user:hunter2",
            "smtp:/user:hunter2@mail", "user:hunter2@mail", "host=h password=hunter2",
            "https://user:hunter2/path", "https://[::1]:hunter2", "mail?password=hunter2",
            "hunter2hunter2hunter2", "aHVudGVyMmh1bnRlcjI=",
        ])
    func hidden(word: String) throws {
        #expect(mayHoldSecret(word))
        #expect(quoted(word) == "(not shown: it may contain a secret)")
        #expect(
            Sample.problems(["HEARTH_LISTEN": word], [Sample.listen]) == [
                "HEARTH_LISTEN is invalid: expected an address and a port, "
                    + "such as 127.0.0.1:8080 or [::]:8080"
            ])
        let surplus = UsageError.surplus(word, in: Command("c", "C.") { _ in 0 })
        #expect(!surplus.message.contains("hunter2"))
    }

    @Test(
        "a word that contains no secret is repeated",
        arguments: [
            "many", "nowhere:80", "ftp://family.test", "https://a.test:8080/x", "10.0.0.0/33",
            "[::1]:8080", "https://[2001:db8::1]:80/", "/etc/hearth/key-0123456789abcdef01234567",
            "not@an@address", "6f9619ff-8b86-d011-b42d-00cf4fc964ff", "FAM-ABCDEF",
        ])
    func shown(word: String) {
        #expect(quoted(word) == "'\(word)'")
    }

    @Test("a secret set twice, or in a missing, empty, binary or large file, is reported")
    func secretFiles() throws {
        let folder = try TemporaryFolder()
        let empty = try folder.write("empty", "\n")
        let binary = try folder.write("binary", [0xFF, 0x41, 0x00])
        let missing = folder.path + "/missing"
        let key = [Sample.key]
        #expect(
            Sample.problems(["HEARTH_KEY": "12345678", "HEARTH_KEY_FILE": empty], key)
                == ["HEARTH_KEY and HEARTH_KEY_FILE are both set: expected one of them"])
        #expect(
            Sample.problems(["HEARTH_KEY_FILE": empty], key) == [
                "HEARTH_KEY_FILE names the file '\(empty)', which is empty: "
                    + "expected at least 8 bytes"
            ])
        #expect(
            Sample.problems(["HEARTH_KEY_FILE": missing], key) == [
                "HEARTH_KEY_FILE names a file that does not exist: "
                    + "it can't be read (No such file or directory)"
            ])
        #expect(
            Sample.problems(["HEARTH_KEY_FILE": binary], key) == [
                "HEARTH_KEY_FILE names the file '\(binary)': it is not UTF-8 text"
            ])
        let large = try folder.write("large", String(repeating: "x", count: 64 * 1024 + 1))
        #expect(Sample.problems(["HEARTH_KEY_FILE": large], key)[0].contains("larger than 65536"))
    }

    @Test("a byte order mark is not part of a text, and UTF-16 is named in the error")
    func byteOrderMarks() throws {
        let folder = try TemporaryFolder()
        let config = try folder.write("marked", "\u{FEFF}HEARTH_THREADS=4\n")
        #expect(try Sample.read([:], config: config, [Sample.threads])[Sample.threads] == 4)
        let secret = try folder.write("secret", "\u{FEFF}12345678\n")
        let settings = try Sample.read(["HEARTH_KEY_FILE": secret], [Sample.key])
        #expect(settings[Sample.key].reveal() == "12345678")
        let wide: [UInt8] = [0xFF, 0xFE] + "HEARTH_THREADS=4".utf8.flatMap { [$0, 0] }
        #expect(
            Sample.problems([:], config: try folder.write("wide", wide), [Sample.threads])[0]
                .contains("it is UTF-16 text: save it as UTF-8"))
    }

    @Test("a setting that is not a secret can't be given in a file of its own")
    func noFileForOthers() throws {
        let folder = try TemporaryFolder()
        let config = try folder.write("c", "HEARTH_THREADS_FILE=x\n")
        #expect(Sample.problems([:], config: config, [])[0].contains("is not a setting"))
    }

    @Test("an unreadable configuration file is reported")
    func missingConfig() {
        #expect(
            Sample.problems(["HEARTH_THREADS": "1"], config: "/nowhere/c", [Sample.threads]) == [
                "the configuration file '/nowhere/c': it can't be read (No such file or directory)"
            ])
    }

    @Test("unknown environment variables that look like settings are reported")
    func strangers() {
        let reader = SettingsReader(
            environment: ["HEARTH_LISTN": "x", "HEARTH_KEY_FILE": "y", "PATH": "z"],
            knownSettings: Sample.all, configPath: nil)
        #expect(
            reader.unknownVariables(prefix: "HEARTH_")
                == ["HEARTH_LISTN is not a setting; did you mean 'HEARTH_LISTEN'?"])
    }

    @Test("a secret is never shown by printing or reflection")
    func secret() {
        let secret = Secret("hunter2")
        var dumped = ""
        dump([secret], to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), "\([secret])", dumped] {
            #expect(!text.contains("hunter2"))
        }
    }
}

@Suite("Expected forms of settings")
struct ExpectationTests {
    @Test(
        "a listen address is an IP address or localhost, with a port",
        arguments: [
            ("127.0.0.1:8080", "127.0.0.1:8080"), ("[::1]:0", "[::1]:0"),
            ("localhost:80", "127.0.0.1:80"), ("0.0.0.0:65535", "0.0.0.0:65535"),
            ("8080", nil), (":8080", nil), ("127.0.0.1:", nil), ("127.0.0.1:65536", nil),
            ("127.0.0.1:+1", nil), ("::1:80", nil), ("host:80", nil), ("[127.0.0.1]:80", nil),
        ])
    func listenAddress(text: String, expected: String?) {
        #expect(ListenAddress(text)?.description == expected)
    }

    @Test(
        "the base URL is a web address without query, fragment, user or trailing slash",
        arguments: [
            ("https://a.example", "https://a.example"), ("http://a:1/b/", "http://a:1/b"),
            ("ftp://a", nil), ("https://", nil), ("https://u@a", nil), ("https://a?b", nil),
            ("https://a#b", nil), ("https://a b", nil), ("https:///x", nil), ("a.example", nil),
            ("https://a\"><script>", nil),
        ])
    func baseURL(text: String, expected: String?) {
        #expect(Expectation.baseURL.value(of: text) == expected)
    }

    @Test(
        "a console's public URL whose host is a number is refused with what is expected instead",
        arguments: ["http://127.0.0.1:8090", "http://0x7f000001:8090", "https://[::1]"])
    func consoleNumbers(url: String) {
        let problem =
            "HEARTH_CONSOLE_PUBLIC_URL can't be '\(url)': expected an address without a path, "
            + "whose host is a name, such as https://console.example.org"
        do {
            let settings = try readConsole(url)
            Issue.record("accepted: \(settings[HearthSettings.consolePublicURL])")
        } catch {
            #expect(error.problems == [problem])
        }
    }

    @Test(
        "a console's public URL whose host is a name is accepted",
        arguments: ["http://localhost:8090", "https://console.example.org"])
    func consoleNames(url: String) throws {
        #expect(try readConsole(url)[HearthSettings.consolePublicURL] == url)
    }

    private func readConsole(_ url: String) throws(SettingsError) -> Settings {
        try SettingsReader(
            environment: ["HEARTH_CONSOLE_PUBLIC_URL": url],
            knownSettings: HearthSettings.console, configPath: nil
        ).read([HearthSettings.consolePublicURL])
    }

    @Test("keys are separated by commas, spaces or line breaks, and a short key is refused")
    func secrets() {
        let keys = Expectation.secrets(minimumBytes: 3)
        #expect(keys.value(of: "abc")?.map { $0.reveal() } == ["abc"])
        #expect(keys.value(of: "abc, defg\nhij")?.map { $0.reveal() } == ["abc", "defg", "hij"])
        #expect(keys.value(of: "abc,de") == nil)
        #expect(keys.value(of: " , ") == nil)
    }

    @Test("a path with a line break is refused")
    func paths() {
        for expectation in [Expectation.file, .folder] {
            #expect(expectation.value(of: "a folder/file") == "a folder/file")
            for text in ["", "a\nb", "a\0b", "\u{7F}"] {
                #expect(expectation.value(of: text) == nil)
            }
        }
    }

    @Test("numbers, switches and seconds are parsed strictly")
    func scalars() {
        #expect(Expectation.toggle.value(of: "On") == true)
        #expect(Expectation.toggle.value(of: "0") == false)
        #expect(Expectation.toggle.value(of: "maybe") == nil)
        #expect(Expectation.integer(0...9).value(of: "10") == nil)
        #expect(Expectation.seconds(0...60).value(of: "0.5") == 0.5)
        #expect(Expectation.seconds(0...60).value(of: "1e1") == nil)
        #expect(Expectation.seconds(0...60).value(of: "inf") == nil)
        #expect(Expectation.seconds(0.5...60).description == "a number of seconds from 0.5 to 60")
        #expect(Expectation<LogLevel>.oneOf.value(of: "info") == .info)
        #expect(Expectation<LogLevel>.oneOf.value(of: "loud") == nil)
    }
}

@Suite("Settings of a program")
struct ProgramSettingsTests {
    private func run(
        _ words: String..., environment: [String: String]
    ) -> (code: Int32, output: String, errors: String) {
        let program = Program(
            Command("tool", "Does things.") { values in
                Int32(try values.settings([Sample.threads])[Sample.threads])
            },
            version: "1", settings: Sample.all
        ) { settings in
            if settings[Sample.threads] == 13 { throw SettingsError(["13 brings bad luck"]) }
            return []
        }
        var output = ""
        var errors = ""
        let code = program.run(
            words, environment: environment, output: { output += $0 },
            errorOutput: { errors += $0 })
        return (code, output, errors)
    }

    @Test("a command reads the settings it needs from the file named by --config")
    func use() throws {
        #expect(run(environment: ["HEARTH_THREADS": "3"]).code == 3)
        let folder = try TemporaryFolder()
        let config = try folder.write("c", "HEARTH_THREADS=4")
        #expect(run("--config", config, environment: [:]).code == 4)
        let (code, _, errors) = run(environment: [:])
        #expect(code == 78)
        #expect(
            errors == """
                tool: 1 setting is wrong:
                  HEARTH_THREADS is missing: expected a whole number from 1 to 64

                """)
    }

    @Test("--check-config shows every setting and its origin, but no secret")
    func check() {
        let good = ["HEARTH_THREADS": "3", "HEARTH_KEY": "12345678", "HEARTH_LISTN": "x"]
        let (code, output, _) = run("--check-config", environment: good)
        #expect(code == 0)
        #expect(
            output == """
                HEARTH_LISTEN=127.0.0.1:8080 (default)
                HEARTH_THREADS=3 (environment)
                HEARTH_KEY=(secret) (environment)
                HEARTH_RELAY (not set)
                HEARTH_SENDER (not set)
                warning: HEARTH_LISTN is not a setting; did you mean 'HEARTH_LISTEN'?

                """)
        // Starting the program prints the same warnings, but none about names used by scripts and
        // tests.
        let started = run(environment: good.merging(["HEARTH_TEST_SEED": "1"]) { $1 })
        #expect(
            started.errors
                == "tool: warning: HEARTH_LISTN is not a setting; did you mean 'HEARTH_LISTEN'?\n")
        #expect(run("--check-config", environment: [:]).code == 78)
        let unlucky = ["HEARTH_THREADS": "13", "HEARTH_KEY": "12345678"]
        #expect(run("--check-config", environment: unlucky).errors.contains("bad luck"))
    }

    @Test("help explains every setting")
    func help() {
        let help = run("--help", environment: [:]).output
        #expect(help.contains("--check-config"))
        #expect(
            help.contains("  HEARTH_THREADS  Threads. Expected: a whole number from 1 to 64."))
        #expect(help.contains("Or HEARTH_KEY_FILE."))
        #expect(help.contains("(required with HEARTH_RELAY)"))
        #expect(help.contains("(default: 127.0.0.1:8080)"))
    }

    @Test("Hearth's own settings have distinct names")
    func table() {
        let names = HearthSettings.all.map(\.declaration.name)
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0.hasPrefix("HEARTH_") })
    }

    @Test("log redaction doesn't change the descriptions of settings' expected forms")
    func logged() {
        for setting in HearthSettings.all.map(\.declaration) {
            #expect(Redaction.clean(setting.expected) == setting.expected, "\(setting.name)")
        }
    }
}
