public import Foundation

/// A part of a response, in the order in which they come.
public enum TransportPart: Sendable {
    /// Status and headers; the body is empty.
    case head(APIResponse)
    /// More of the body.
    case body(Data)
}
