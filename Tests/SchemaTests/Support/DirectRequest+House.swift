import Foundation
import TestSupport

extension DirectRequest {
    /// The answer's text.
    func send(to house: House) throws -> String { try send(to: house.test) }

    /// The rows of the answer, decoded as the applications do.
    func rows<Row: Decodable>(from house: House, as type: Row.Type) throws -> [Row] {
        try JSONDecoder().decode([Row].self, from: Data(try send(to: house).utf8))
    }
}
