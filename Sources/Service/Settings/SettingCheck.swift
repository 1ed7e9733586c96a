/// A look behind a setting whose form is right: into the file it names, say.
///
/// What it finds is told together with all other settings that are not as expected, when the
/// setting is read for use as well as by `--check-config`.
package struct SettingCheck: Sendable {
    let name: String
    let look: @Sendable (any Sendable) -> [String]

    /// A check of one setting; `problems` are sentences without the setting's name, none where all
    /// is well. They must not repeat a secret. A setting that is not given is not looked at.
    package init<Value: Sendable>(
        _ setting: Setting<Value>, _ problems: @escaping @Sendable (Value) -> [String]
    ) {
        name = setting.declaration.name
        look = { box in
            guard let value = (box as? Box<Value>)?.value ?? (box as? Box<Value?>)?.value else {
                return []
            }
            return problems(value)
        }
    }

    /// Problems with a decoded setting, each with its name before it.
    func problems(with box: any Sendable) -> [String] {
        look(box).map { "\(name): \($0)" }
    }
}
