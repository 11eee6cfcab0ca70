// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainModel

/// What a certificate must be good for; two of them are equal if they say the same.
public final class SecPolicy: NSObject, Sendable {
    let content: CertificatePolicy

    init(_ content: CertificatePolicy) { self.content = content }

    /// Whether the other object is a policy that says the same.
    public override func isEqual(_ object: Any?) -> Bool { (object as? SecPolicy)?.content == content }

    /// A number that equal policies share.
    public override var hash: Int { content.hashValue }
}

/// The name of the policy that ``SecPolicyCreateBasicX509()`` makes.
@safe public nonisolated(unsafe) let kSecPolicyAppleX509Basic: CFString = "1.2.840.113635.100.1.2"

/// The name of the policies that ``SecPolicyCreateSSL(_:_:)`` makes.
@safe public nonisolated(unsafe) let kSecPolicyAppleSSL: CFString = "1.2.840.113635.100.1.3"

/// The name of the policies that ``SecPolicyCreateRevocation(_:)`` makes.
@safe public nonisolated(unsafe) let kSecPolicyAppleRevocation: CFString = "1.2.840.113635.100.1.21"

/// The name of a policy, in a dictionary of properties.
@safe public nonisolated(unsafe) let kSecPolicyOid: CFString = "SecPolicyOid"

/// The name of the server, in a dictionary of properties.
@safe public nonisolated(unsafe) let kSecPolicyName: CFString = "SecPolicyName"

/// Whether the certificate identifies a client, in a dictionary of properties: a Boolean.
@safe public nonisolated(unsafe) let kSecPolicyClient: CFString = "SecPolicyClient"

/// The flags of a policy for revocation, in a dictionary of properties: a number.
@safe public nonisolated(unsafe) let kSecPolicyRevocationFlags: CFString = "SecPolicyRevocationFlags"

/// Makes the policy by which a certificate leads to an anchor and everything on the way is valid.
///
/// Source: Apple, *SecPolicyCreateBasicX509()*.
@discardableResult
public func SecPolicyCreateBasicX509() -> SecPolicy { SecPolicy(.basic) }

/// Makes a policy for the two ends of a TLS connection.
///
/// - Parameters:
///   - server: Whether the certificate identifies a server, and not a client.
///   - hostname: The server's name or address, which must be in the certificate; `nil` for any. Of a client nothing
///     is compared.
/// - Returns: The policy.
///
/// The name must be among the subject's alternative names: the common name does not count. Source: Apple,
/// *SecPolicyCreateSSL(_:_:)*.
@discardableResult
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
    SecPolicy(server ? .server(hostname: hostname.map { String($0) }) : .client)
}

/// Makes a policy of its name and its properties.
///
/// - Parameters:
///   - policyIdentifier: `kSecPolicyAppleX509Basic`, `kSecPolicyAppleSSL` or `kSecPolicyAppleRevocation`.
///   - properties: `kSecPolicyName` and `kSecPolicyClient`, or `kSecPolicyRevocationFlags`, or nothing.
/// - Returns: The policy; `nil` for any other name, and for flags that are no number.
///
/// Source: Apple, *SecPolicyCreateWithProperties(_:_:)*. Differs: the policies for mail, time stamps, code and so on
/// are not there.
@discardableResult
public func SecPolicyCreateWithProperties(
    _ policyIdentifier: CFTypeRef,
    _ properties: CFDictionary?
) -> SecPolicy? {
    switch policyIdentifier as? NSString {
    case kSecPolicyAppleX509Basic: return SecPolicyCreateBasicX509()
    case kSecPolicyAppleSSL:
        let isClient = (properties?.object(named: kSecPolicyClient) as? NSNumber)?.boolValue ?? false
        return SecPolicyCreateSSL(!isClient, properties?.object(named: kSecPolicyName) as? NSString)
    case kSecPolicyAppleRevocation:
        guard let flags = properties?.object(named: kSecPolicyRevocationFlags) else {
            return SecPolicyCreateRevocation(kSecRevocationUseAnyAvailableMethod)
        }
        return (flags as? NSNumber).flatMap { SecPolicyCreateRevocation($0.uintValue) }
    default: return nil
    }
}

/// The name and the properties of a policy.
///
/// Source: Apple, *SecPolicyCopyProperties(_:)*.
@discardableResult
public func SecPolicyCopyProperties(_ policyRef: SecPolicy) -> CFDictionary? {
    let properties = NSMutableDictionary()
    switch policyRef.content {
    case .basic: properties[kSecPolicyOid] = kSecPolicyAppleX509Basic
    case .server(let hostname):
        properties[kSecPolicyOid] = kSecPolicyAppleSSL
        if let hostname { properties[kSecPolicyName] = NSString(string: hostname) }
    case .client:
        properties[kSecPolicyOid] = kSecPolicyAppleSSL
        properties[kSecPolicyClient] = kCFBooleanTrue
    case .revocation(let flags):
        properties[kSecPolicyOid] = kSecPolicyAppleRevocation
        properties[kSecPolicyRevocationFlags] = NSNumber(value: flags)
    }
    return properties
}
