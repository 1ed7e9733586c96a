import Foundation
import TestSupport

extension DirectRequest {
    /// Sends the request and returns the response as text.
    func send(to house: House) throws -> String { try send(to: house.test) }

    /// Sends the request and decodes the returned rows as the apps do.
    func rows<Row: Decodable>(from house: House, as type: Row.Type) throws -> [Row] {
        try JSONDecoder().decode([Row].self, from: Data(try send(to: house).utf8))
    }
}
