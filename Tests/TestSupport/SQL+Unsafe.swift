package import Postgres

extension SQL {
    /// Creates a statement without values from trusted text.
    package init(unsafe text: String) { self = "\(unsafe: text)" }
}
