// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The name of a secret and the type of its value.
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
/// A ``SecretConvertible`` value, such as a `String`, is stored as its bytes. Any other `Codable` value is
/// stored as JSON.
public struct SecretKey<Value: Sendable>: Sendable {
    /// The name, stored as the account of the item.
    public let name: String
    let encode: @Sendable (Value) throws -> SecretBytes
    let decode: @Sendable (SecretBytes) throws -> Value

    /// Creates a key for a secret that is stored as bytes.
    public init(_ name: String) where Value: SecretConvertible {
        self.name = name
        encode = { $0.secret }
        decode = { secret in
            guard let value = Value(secret: secret) else { throw UndecodableSecret() }
            return value
        }
    }

    /// Creates a key for a secret that is stored as JSON.
    public init(_ name: String) where Value: Codable {
        self.name = name
        encode = { SecretBytes(try JSONEncoder().encode($0)) }
        decode = { secret in try JSONDecoder().decode(Value.self, from: secret.data) }
    }

    /// Creates a key for a `Codable` secret that is stored as bytes.
    public init(_ name: String) where Value: SecretConvertible & Codable {
        self.init(bytes: name)
    }

    private init(bytes name: String) where Value: SecretConvertible { self.init(name) }

    /// Creates a key for a secret with a custom encoding.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - encode: Encodes a value. An error that it throws becomes
    ///     ``VaultError/Reason-swift.enum/unencodable``.
    ///   - decode: Decodes the bytes. An error that it throws becomes
    ///     ``VaultError/Reason-swift.enum/undecodable``.
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
