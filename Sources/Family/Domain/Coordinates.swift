/// A point on Earth, in degrees.
package struct Coordinates: Hashable, Sendable {
    /// Latitude from -90 to 90; north is positive.
    package let latitude: Double
    /// Longitude from -180 to 180; east is positive.
    package let longitude: Double

    /// Returns nil unless both values lie within their ranges; NaN lies in neither.
    package init?(latitude: Double, longitude: Double) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }
}
