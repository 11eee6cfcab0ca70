// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainObjects

/// The requirements on a certificate; policies with the same requirements are equal.
public final class SecPolicy: NSObject, Sendable {
    let content: CertificatePolicy

    init(_ content: CertificatePolicy) { self.content = content }

    /// Whether the other object is an equal policy.
    public override func isEqual(_ object: Any?) -> Bool { (object as? SecPolicy)?.content == content }

    /// A hash value, which is the same for equal policies.
    public override var hash: Int { content.hashValue }
}

/// The identifier of the policy of ``SecPolicyCreateBasicX509()``.
@safe public nonisolated(unsafe) let kSecPolicyAppleX509Basic: CFString = "1.2.840.113635.100.1.2"

/// The identifier of the policies of ``SecPolicyCreateSSL(_:_:)``.
@safe public nonisolated(unsafe) let kSecPolicyAppleSSL: CFString = "1.2.840.113635.100.1.3"

/// The identifier of the policies of ``SecPolicyCreateRevocation(_:)``.
@safe public nonisolated(unsafe) let kSecPolicyAppleRevocation: CFString = "1.2.840.113635.100.1.21"

/// The key of a policy's identifier in its properties: a string.
@safe public nonisolated(unsafe) let kSecPolicyOid: CFString = "SecPolicyOid"

/// The key of the host name in a policy's properties: a string.
@safe public nonisolated(unsafe) let kSecPolicyName: CFString = "SecPolicyName"

/// The key that selects a policy for TLS clients: a Boolean, by default `false`.
@safe public nonisolated(unsafe) let kSecPolicyClient: CFString = "SecPolicyClient"

/// The key of the revocation flags in a policy's properties: a number.
@safe public nonisolated(unsafe) let kSecPolicyRevocationFlags: CFString = "SecPolicyRevocationFlags"

/// Creates a policy that requires a valid chain to an anchor.
///
/// - Returns: The policy; never fails.
///
/// Source: Apple, *SecPolicyCreateBasicX509()*.
@discardableResult
public func SecPolicyCreateBasicX509() -> SecPolicy { SecPolicy(.basic) }

/// Creates a policy for TLS servers or clients.
///
/// - Parameters:
///   - server: Whether the certificate identifies a server, not a client.
///   - hostname: The name or address that the certificate must contain; `nil` for any.
/// - Returns: The policy; never fails. With an invalid name, such as an empty one, no certificate is trusted.
///
/// The name must be among the subject alternative names; the common name is ignored. Source: Apple,
/// *SecPolicyCreateSSL(_:_:)*.
@discardableResult
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
    let hostname = hostname.map { String($0) }
    return SecPolicy(server ? .server(hostname: hostname) : .client(hostname: hostname))
}

/// Creates a policy from its identifier and properties.
///
/// - Parameters:
///   - policyIdentifier: `kSecPolicyAppleX509Basic`, `kSecPolicyAppleSSL` or `kSecPolicyAppleRevocation`.
///   - properties: For TLS `kSecPolicyName` and `kSecPolicyClient`; for revocation `kSecPolicyRevocationFlags`, by
///     default `kSecRevocationUseAnyAvailableMethod`. Other keys are ignored. `nil` stands for an empty dictionary.
/// - Returns: The policy; `nil` for any other identifier, for a `kSecPolicyName` that is not a string, for a
///   `kSecPolicyClient` that is not a Boolean or number, and for flags that are 0 or not a number.
///
/// Source: Apple, *SecPolicyCreateWithProperties(_:_:)*. Differs: policies for email, time stamping, code
/// signing and so on are not available.
@discardableResult
public func SecPolicyCreateWithProperties(
    _ policyIdentifier: CFTypeRef,
    _ properties: CFDictionary?
) -> SecPolicy? {
    switch policyIdentifier as? NSString {
    case kSecPolicyAppleX509Basic: return SecPolicyCreateBasicX509()
    case kSecPolicyAppleSSL:
        let client = properties?.object(named: kSecPolicyClient)
        let name = properties?.object(named: kSecPolicyName)
        let (isClient, hostname) = ((client as? NSNumber)?.boolValue, name as? NSString)
        // Fail for a property of the wrong type instead of ignoring it: without its name, for example, the
        // policy would accept every host.
        guard client == nil || isClient != nil, name == nil || hostname != nil else { return nil }
        return SecPolicyCreateSSL(isClient != true, hostname)
    case kSecPolicyAppleRevocation:
        guard let flags = properties?.object(named: kSecPolicyRevocationFlags) else {
            return SecPolicyCreateRevocation(kSecRevocationUseAnyAvailableMethod)
        }
        return (flags as? NSNumber).flatMap { SecPolicyCreateRevocation($0.uintValue) }
    default: return nil
    }
}

/// Returns the identifier and properties of a policy.
///
/// - Parameter policyRef: The policy.
/// - Returns: A dictionary, never `nil`: `kSecPolicyOid`; for TLS `kSecPolicyName` if there is one, and for a
///   client `kSecPolicyClient`, which is true; for revocation `kSecPolicyRevocationFlags`, a number.
///   ``SecPolicyCreateWithProperties(_:_:)`` accepts this dictionary.
///
/// Source: Apple, *SecPolicyCopyProperties(_:)*.
@discardableResult
public func SecPolicyCopyProperties(_ policyRef: SecPolicy) -> CFDictionary? {
    let properties = NSMutableDictionary()
    switch policyRef.content {
    case .basic: properties[kSecPolicyOid] = kSecPolicyAppleX509Basic
    case .server: properties[kSecPolicyOid] = kSecPolicyAppleSSL
    case .client:
        properties[kSecPolicyOid] = kSecPolicyAppleSSL
        properties[kSecPolicyClient] = kCFBooleanTrue
    case .revocation(let flags):
        properties[kSecPolicyOid] = kSecPolicyAppleRevocation
        properties[kSecPolicyRevocationFlags] = NSNumber(value: flags)
    }
    if let hostname = policyRef.content.hostname { properties[kSecPolicyName] = NSString(string: hostname) }
    return properties
}
