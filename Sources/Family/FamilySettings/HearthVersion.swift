/// The version of all of Hearth's executables, which are built together.
package enum HearthVersion {
    /// The version (semantic versioning).
    package static let current = "1.0.0"
}
