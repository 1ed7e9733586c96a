/// The kinds of picture in which Hearth draws QR codes.
public enum QRCodeFormat: String, Sendable, Hashable {
    /// A picture of pixels.
    case png
    /// A picture that can be scaled.
    case svg
}
