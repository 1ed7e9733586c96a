/// The version of Hearth: of all its executables, which are built together.
package enum HearthVersion {
    /// By semantic versioning.
    package static let current = "0.1.0"
}
