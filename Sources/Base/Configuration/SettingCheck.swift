/// A check of a valid setting's content, such as the file that it names.
///
/// Its problems are reported together with all other wrong settings, both when the setting is read
/// for use and by `--check-config`.
package struct SettingCheck: Sendable {
    let name: String
    private let run: @Sendable ([String: any Sendable]) -> [String]

    /// Creates a check of one setting. `problems` returns sentences without the setting's name,
    /// empty if there are none. They must not repeat a secret. An omitted setting is not checked.
    package init<Value: Sendable>(
        _ setting: Setting<Value>, _ problems: @escaping @Sendable (Value) -> [String]
    ) {
        name = setting.declaration.name
        run = { decoded in Self.value(of: setting, in: decoded).map(problems) ?? [] }
    }

    /// Creates a check of one setting that depends on another, which must be read together with it.
    /// It does not run if the other setting is wrong.
    package init<Value: Sendable, Other: Sendable>(
        _ setting: Setting<Value>, with otherSetting: Setting<Other>,
        _ problems: @escaping @Sendable (Value, Other) -> [String]
    ) {
        name = setting.declaration.name
        run = { decoded in
            guard let value = Self.value(of: setting, in: decoded),
                let otherValue = Self.value(of: otherSetting, in: decoded)
            else { return [] }
            return problems(value, otherValue)
        }
    }

    /// Returns the problems of the setting, each prefixed with its name, if the setting could be
    /// decoded.
    func problems(among decoded: [String: any Sendable]) -> [String] {
        run(decoded).map { "\(name): \($0)" }
    }

    private static func value<Value: Sendable>(
        of setting: Setting<Value>, in decoded: [String: any Sendable]
    ) -> Value? {
        let box = decoded[setting.declaration.name]
        return (box as? Box<Value>)?.value ?? (box as? Box<Value?>)?.value
    }
}
