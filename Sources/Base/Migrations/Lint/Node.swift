import JSON

/// A node of libpg_query's parse tree. Missing or unexpected parts are nil, so a rule that doesn't
/// understand a statement reports nothing.
struct Node {
    let value: JSONValue

    /// A member of this object.
    subscript(name: String) -> Node? {
        guard case .object(let object) = value, let member = object[name] else { return nil }
        return Node(value: member)
    }

    /// The node's kind and body. A node is an object with one member, named after its kind.
    var tagged: (kind: String, body: Node)? {
        guard case .object(let object) = value, object.members.count == 1,
            let member = object.members.first
        else { return nil }
        return (member.name, Node(value: member.value))
    }

    /// The elements of this list; empty if it is not a list.
    var elements: [Node] {
        guard case .array(let array) = value else { return [] }
        return array.map { Node(value: $0) }
    }

    var string: String? {
        guard case .string(let string) = value else { return nil }
        return string
    }

    var isTrue: Bool { value == .bool(true) }

    /// The text of a `String` node.
    var name: String? { self["String"]?["sval"]?.string }

    /// The name in a `RangeVar` node.
    var relation: QualifiedName? {
        guard let name = self["relname"]?.string else { return nil }
        return QualifiedName(schema: self["schemaname"]?.string, name)
    }

    /// The name in a list of `String` nodes.
    var qualifiedName: QualifiedName? {
        let parts = elements.compactMap(\.name)
        guard let name = parts.last else { return nil }
        return QualifiedName(schema: parts.count > 1 ? parts[parts.count - 2] : nil, name)
    }

    /// Returns the member as a list; empty if it is missing.
    func list(_ name: String) -> [Node] { self[name]?.elements ?? [] }

    /// Returns the nodes of the given kinds at any depth, each with its kind.
    func all(_ kinds: [String]) -> [(kind: String, body: Node)] {
        switch value {
        case .object(let object):
            object.members.flatMap { member in
                let node = Node(value: member.value)
                let matching = kinds.contains(member.name) ? [(kind: member.name, body: node)] : []
                return matching + node.all(kinds)
            }
        case .array(let array): array.flatMap { Node(value: $0).all(kinds) }
        default: []
        }
    }

    /// Whether the node contains, at any depth, a node of this kind that fulfils the condition.
    func contains(_ kind: String, where condition: (Node) -> Bool = { _ in true }) -> Bool {
        switch value {
        case .object(let object):
            return object.members.contains { member in
                let node = Node(value: member.value)
                return (member.name == kind && condition(node))
                    || node.contains(kind, where: condition)
            }
        case .array(let array):
            return array.contains { Node(value: $0).contains(kind, where: condition) }
        default: return false
        }
    }
}
