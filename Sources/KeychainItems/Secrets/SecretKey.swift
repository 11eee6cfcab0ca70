// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The name of a secret together with the type of its value.
///
/// ```swift
/// extension SecretKey<Session> {
///     static let session = SecretKey("session")
/// }
///
/// try vault.set(session, for: .session)
/// let session = try vault.get(.session)
/// ```
///
/// A ``SecretConvertible`` value, such as a `String`, is kept as its bytes; any other `Codable` value as JSON.
public struct SecretKey<Value: Sendable>: Sendable {
    /// The name, which is the account of the item.
    public let name: String
    let encode: @Sendable (Value) throws -> SecretBytes
    let decode: @Sendable (SecretBytes) throws -> Value

    /// Names a secret that is kept as the bytes of its value.
    public init(_ name: String) where Value: SecretConvertible {
        self.name = name
        encode = { $0.secret }
        decode = { secret in
            guard let value = Value(secret: secret) else { throw UndecodableSecret() }
            return value
        }
    }

    /// Names a secret that is kept as JSON.
    public init(_ name: String) where Value: Codable {
        self.name = name
        encode = { SecretBytes(try JSONEncoder().encode($0)) }
        decode = { secret in try JSONDecoder().decode(Value.self, from: secret.data) }
    }

    /// Names a secret that is kept as the bytes of its value, although its type is `Codable` as well.
    public init(_ name: String) where Value: SecretConvertible & Codable {
        self.init(bytes: name)
    }

    private init(bytes name: String) where Value: SecretConvertible { self.init(name) }

    /// Names a secret that is kept as your own functions say.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - encode: Makes the bytes of a value; what it throws becomes ``VaultError/Reason-swift.enum/unencodable``.
    ///   - decode: Makes the value of the bytes; what it throws becomes ``VaultError/Reason-swift.enum/undecodable``.
    public init(
        _ name: String,
        encode: @escaping @Sendable (Value) throws -> SecretBytes,
        decode: @escaping @Sendable (SecretBytes) throws -> Value
    ) {
        self.name = name
        self.encode = encode
        self.decode = decode
    }
}

/// The bytes of a secret are no value of its type.
struct UndecodableSecret: Error {}

extension SecretKey {
    func secret(_ value: Value, _ operation: VaultError.Operation) throws(VaultError) -> SecretBytes {
        do {
            return try encode(value)
        } catch {
            throw VaultError(.unencodable, operation)
        }
    }

    func value(_ secret: SecretBytes, _ operation: VaultError.Operation) throws(VaultError) -> Value {
        do {
            return try decode(secret)
        } catch {
            throw VaultError(.undecodable, operation)
        }
    }
}
