/// A look behind a setting whose form is right: into the file it names, say.
///
/// What it finds is told together with all other settings that are not as expected, when the
/// setting is read for use as well as by `--check-config`.
package struct SettingCheck: Sendable {
    let name: String
    private let look: @Sendable ([String: any Sendable]) -> [String]

    /// A check of one setting; `problems` are sentences without the setting's name, none where all
    /// is well. They must not repeat a secret. A setting that is not given is not looked at.
    package init<Value: Sendable>(
        _ setting: Setting<Value>, _ problems: @escaping @Sendable (Value) -> [String]
    ) {
        name = setting.declaration.name
        look = { decoded in Self.value(of: setting, in: decoded).map(problems) ?? [] }
    }

    /// A check of one setting that depends on another, which must be read with it. It is not made
    /// where the other is not as expected.
    package init<Value: Sendable, Other: Sendable>(
        _ setting: Setting<Value>, with other: Setting<Other>,
        _ problems: @escaping @Sendable (Value, Other) -> [String]
    ) {
        name = setting.declaration.name
        look = { decoded in
            guard let value = Self.value(of: setting, in: decoded),
                let otherValue = Self.value(of: other, in: decoded)
            else { return [] }
            return problems(value, otherValue)
        }
    }

    /// Problems with the setting among those that could be decoded, each with its name before it.
    func problems(among decoded: [String: any Sendable]) -> [String] {
        look(decoded).map { "\(name): \($0)" }
    }

    private static func value<Value: Sendable>(
        of setting: Setting<Value>, in decoded: [String: any Sendable]
    ) -> Value? {
        let box = decoded[setting.declaration.name]
        return (box as? Box<Value>)?.value ?? (box as? Box<Value?>)?.value
    }
}
