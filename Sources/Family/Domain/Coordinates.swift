/// A place on Earth, in degrees.
package struct Coordinates: Hashable, Sendable {
    /// North is positive: -90 to 90.
    package let latitude: Double
    /// East is positive: -180 to 180.
    package let longitude: Double

    /// Nil unless both lie within their ranges; what is no number lies in none.
    package init?(latitude: Double, longitude: Double) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }
}
