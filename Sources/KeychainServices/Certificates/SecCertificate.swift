// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainModel
import KeychainObjects

/// An X.509 certificate; two of them are equal if their bytes are.
///
/// It is read and not verified: that one can be made says nothing about whether it is genuine.
public final class SecCertificate: NSObject, ItemObject, Sendable {
    let content: ParsedCertificate

    init(_ content: ParsedCertificate) { self.content = content }

    /// Whether the other object is a certificate of the same bytes.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? SecCertificate)?.content.der == content.der
    }

    /// A number that equal certificates share.
    public override var hash: Int { content.der.hashValue }

    /// Whom the certificate is for.
    public override var description: String { "<SecCertificate: \(content.summary ?? "no name")>" }
}

extension SecCertificate {
    var storable: any StorableObject { content }

    /// Parses the certificate at the head of the bytes; `nil` if there is none.
    convenience init?(parsing bytes: Data) {
        guard let content = try? ParsedCertificate(parsing: bytes) else { return nil }
        self.init(content)
    }
}

/// Makes a certificate of its DER.
///
/// What follows the certificate is cut off, so that ``SecCertificateCopyData(_:)`` may return less than was given.
/// Text (PEM) must be decoded first.
///
/// - Parameters:
///   - allocator: Pass `nil` or `kCFAllocatorDefault`.
///   - data: The DER of an X.509 certificate.
/// - Returns: The certificate, or `nil` if there is none at the head of the bytes.
///
/// Nothing is verified. Source: Apple, *SecCertificateCreateWithData(_:_:)*. Differs: a certificate of more than
/// 256 KiB is refused.
@discardableResult
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? {
    guard ObjectsTrait.isEnabled else {
        _ = OSStatus(recording: ObjectsTrait.missing)
        return nil
    }
    return SecCertificate(parsing: Data(referencing: data))
}

/// The DER of a certificate, byte for byte as it was given.
///
/// - Parameter certificate: The certificate.
/// - Returns: The certificate, without what followed it.
///
/// Source: Apple, *SecCertificateCopyData(_:)*.
@discardableResult
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData {
    NSData(data: certificate.content.der)
}

/// The public key of a certificate.
///
/// - Parameter certificate: The certificate.
/// - Returns: The key, or `nil` if it is malformed or neither RSA of 1,024 to 8,192 bits nor on P-256, P-384 or P-521.
///
/// Source: Apple, *SecCertificateCopyKey(_:)*.
@discardableResult
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? {
    SecKey(subjectPublicKeyInfo: certificate.content.subjectPublicKeyInfo)
}

/// The public key of a certificate; deprecated on Apple's platforms in favour of ``SecCertificateCopyKey(_:)``.
///
/// - Parameter certificate: The certificate.
/// - Returns: As ``SecCertificateCopyKey(_:)``.
///
/// Source: Apple, *SecCertificateCopyPublicKey(_:)*, as on iOS.
@discardableResult
public func SecCertificateCopyPublicKey(_ certificate: SecCertificate) -> SecKey? {
    SecCertificateCopyKey(certificate)
}

/// The content bytes of a certificate's serial number; deprecated on Apple's platforms in favour of
/// ``SecCertificateCopySerialNumberData(_:_:)``.
///
/// - Parameter certificate: The certificate.
/// - Returns: At least one byte, the most significant first; never `nil`.
///
/// Source: Apple, *SecCertificateCopySerialNumber(_:)*, as on iOS.
@discardableResult
public func SecCertificateCopySerialNumber(_ certificate: SecCertificate) -> CFData? {
    SecCertificateCopySerialNumberData(certificate, nil)
}

/// The content bytes of a certificate's serial number, that of the sign included.
///
/// - Parameters:
///   - certificate: The certificate.
///   - error: Is left alone: every certificate has a serial number.
/// - Returns: At least one byte, the most significant first; never `nil`.
///
/// Source: Apple, *SecCertificateCopySerialNumberData(_:_:)*.
@discardableResult
public func SecCertificateCopySerialNumberData(
    _ certificate: SecCertificate,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    NSData(data: certificate.content.serialNumber)
}
