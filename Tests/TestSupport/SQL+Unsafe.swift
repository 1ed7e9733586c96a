package import Postgres

extension SQL {
    /// A statement without values whose text is trusted.
    package init(unsafe text: String) { self = "\(unsafe: text)" }
}
