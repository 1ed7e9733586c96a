// The part of SwiftUI that the example app uses, without a body: the app is type-checked with it on
// Linux. Declarations have the names and types of Apple's.

@MainActor public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View { public var body: Never { return fatalError() } }
extension Optional: View where Wrapped: View { public var body: Never { return fatalError() } }

@MainActor @resultBuilder public enum ViewBuilder {
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<repeat each Content> { TupleView() }
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(
        first: First
    ) -> Either<First, Second> { Either() }
    public static func buildEither<First: View, Second: View>(
        second: Second
    ) -> Either<First, Second> { Either() }
}

public struct EmptyView: View {
    public init() {}
    public var body: Never { return fatalError() }
}

public struct TupleView<each Content: View>: View {
    init() {}
    public var body: Never { return fatalError() }
}

public struct Either<First: View, Second: View>: View {
    init() {}
    public var body: Never { return fatalError() }
}

public struct Text: View {
    public init(_ content: String) {}
    public var body: Never { return fatalError() }
}

public struct TextField: View {
    public init(_ title: String, text: Binding<String>) {}
    public var body: Never { return fatalError() }
}

public struct SecureField: View {
    public init(_ title: String, text: Binding<String>) {}
    public var body: Never { return fatalError() }
}

public struct Button: View {
    public init(_ title: String, action: @escaping @MainActor () -> Void) {}
    public var body: Never { return fatalError() }
}

public struct Form<Content: View>: View {
    public init(@ViewBuilder content: () -> Content) {}
    public var body: Never { return fatalError() }
}

public struct List<Content: View>: View {
    public init(@ViewBuilder content: () -> Content) {}
    public var body: Never { return fatalError() }
}

public struct Section<Content: View>: View {
    public init(_ title: String, @ViewBuilder content: () -> Content) {}
    public var body: Never { return fatalError() }
}

public struct NavigationStack<Root: View>: View {
    public init(@ViewBuilder root: () -> Root) {}
    public var body: Never { return fatalError() }
}

public struct NavigationLink<Destination: View>: View {
    public init(_ title: String, @ViewBuilder destination: () -> Destination) {}
    public var body: Never { return fatalError() }
}

public struct ForEach<Data: RandomAccessCollection, Content: View>: View
where Data.Element: Identifiable {
    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {}
    public var body: Never { return fatalError() }
}

extension View {
    public func task(_ action: @escaping @MainActor () async -> Void) -> some View { self }
    public func disabled(_ isDisabled: Bool) -> some View { self }
}

@propertyWrapper public struct State<Value> {
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { fatalError() }
    public init(wrappedValue: Value) {}
    public init<Wrapped>() where Value == Wrapped? {}
}

@propertyWrapper public struct Binding<Value> {
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }
    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {}
}

public struct EnvironmentValues {}

@propertyWrapper public struct Environment<Value> {
    public var wrappedValue: Value { fatalError() }
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}
}

@MainActor public protocol Scene {}

@MainActor public protocol App {
    associatedtype Content: Scene
    @SceneBuilder var body: Content { get }
    init()
}

extension App { public static func main() {} }

@MainActor @resultBuilder public enum SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

public struct WindowGroup<Content: View>: Scene {
    public init(@ViewBuilder content: () -> Content) {}
}
