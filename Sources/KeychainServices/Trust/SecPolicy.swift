// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainObjects

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

/// The name of the server, in a dictionary of properties: a string.
@safe public nonisolated(unsafe) let kSecPolicyName: CFString = "SecPolicyName"

/// Whether the certificate identifies a client, in a dictionary of properties: a Boolean, `false` if it is absent.
@safe public nonisolated(unsafe) let kSecPolicyClient: CFString = "SecPolicyClient"

/// The flags of a policy for revocation, in a dictionary of properties: a number.
@safe public nonisolated(unsafe) let kSecPolicyRevocationFlags: CFString = "SecPolicyRevocationFlags"

/// Makes the policy by which a certificate leads to an anchor and everything on the way is valid.
///
/// - Returns: The policy; the call cannot fail.
///
/// Source: Apple, *SecPolicyCreateBasicX509()*.
@discardableResult
public func SecPolicyCreateBasicX509() -> SecPolicy { SecPolicy(.basic) }

/// Makes a policy for the two ends of a TLS connection.
///
/// - Parameters:
///   - server: Whether the certificate identifies a server, and not a client.
///   - hostname: The name or address that must be in the certificate, be it a server's or a client's; `nil` for any.
/// - Returns: The policy; the call cannot fail. With a name that nothing has, such as an empty one, no certificate is
///   trusted.
///
/// The name must be among the subject's alternative names: the common name does not count. Source: Apple,
/// *SecPolicyCreateSSL(_:_:)*.
@discardableResult
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
    let hostname = hostname.map { String($0) }
    return SecPolicy(server ? .server(hostname: hostname) : .client(hostname: hostname))
}

/// Makes a policy of its name and its properties.
///
/// - Parameters:
///   - policyIdentifier: `kSecPolicyAppleX509Basic`, `kSecPolicyAppleSSL` or `kSecPolicyAppleRevocation`.
///   - properties: For TLS `kSecPolicyName` and `kSecPolicyClient`; for revocation `kSecPolicyRevocationFlags`, by
///     default `kSecRevocationUseAnyAvailableMethod`; or `nil`. Other keys are ignored.
/// - Returns: The policy; `nil` for any other name, for a `kSecPolicyName` that is no string, for a `kSecPolicyClient`
///   that is no number, and for flags that are 0 or no number.
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
        let client = properties?.object(named: kSecPolicyClient)
        let name = properties?.object(named: kSecPolicyName)
        let (isClient, hostname) = ((client as? NSNumber)?.boolValue, name as? NSString)
        // A name that cannot be read must not become any name.
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

/// The name and the properties of a policy.
///
/// - Parameter policyRef: The policy.
/// - Returns: A dictionary, never `nil`: `kSecPolicyOid`; for TLS `kSecPolicyName` if there is one, and for a client
///   `kSecPolicyClient`, which is true; for revocation `kSecPolicyRevocationFlags`, a number. It can be given to
///   ``SecPolicyCreateWithProperties(_:_:)`` again.
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
