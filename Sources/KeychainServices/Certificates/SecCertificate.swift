// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainModel
import KeychainObjects

/// An X.509 certificate; certificates with the same bytes are equal.
///
/// The certificate has been parsed but not verified, so this object does not prove that the certificate is genuine.
public final class SecCertificate: NSObject, ItemObject, Sendable {
    let content: ParsedCertificate

    init(_ content: ParsedCertificate) { self.content = content }

    /// Whether the other object is a certificate with the same bytes.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? SecCertificate)?.content.der == content.der
    }

    /// A hash value, which is the same for equal certificates.
    public override var hash: Int { content.der.hashValue }

    /// The class name and the certificate's summary.
    public override var description: String { "<SecCertificate: \(content.summary ?? "no name")>" }
}

extension SecCertificate {
    var storable: any StorableObject { content }

    /// Parses the certificate at the start of the data; `nil` if the data do not start with one, or it exceeds 256 KiB.
    convenience init?(parsing bytes: Data) {
        guard let content = try? ParsedCertificate(parsing: bytes) else { return nil }
        self.init(content)
    }
}

/// Creates a certificate from DER.
///
/// Trailing data is dropped, so ``SecCertificateCopyData(_:)`` may return less than `data`. PEM must be
/// decoded first.
///
/// - Parameters:
///   - allocator: Pass `nil` or `kCFAllocatorDefault`.
///   - data: The DER of an X.509 certificate.
/// - Returns: The certificate; `nil` if the data does not start with one, or without the package trait
///   `Objects`.
///
/// The certificate is not verified. Source: Apple, *SecCertificateCreateWithData(_:_:)*. Differs: a
/// certificate of more than 256 KiB is rejected.
@discardableResult
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? {
    guard ObjectsTrait.isEnabled else {
        _ = OSStatus(recording: ObjectsTrait.missing)
        return nil
    }
    return SecCertificate(parsing: Data(referencing: data))
}

/// Returns the DER of a certificate.
///
/// - Parameter certificate: The certificate.
/// - Returns: The bytes from which the certificate was created, without trailing data.
///
/// Source: Apple, *SecCertificateCopyData(_:)*.
@discardableResult
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData {
    NSData(data: certificate.content.der)
}

/// Returns the public key of a certificate.
///
/// - Parameter certificate: The certificate.
/// - Returns: The key, or `nil` if it is malformed or of an unsupported type. Supported are RSA keys of 1,024
///   to 8,192 bits, keys on P-256, P-384 and P-521, and Ed25519 keys.
///
/// Source: Apple, *SecCertificateCopyKey(_:)*.
@discardableResult
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? {
    SecKey(subjectPublicKeyInfo: certificate.content.subjectPublicKeyInfo)
}

/// Deprecated alias of ``SecCertificateCopyKey(_:)``.
///
/// - Parameter certificate: The certificate.
/// - Returns: As ``SecCertificateCopyKey(_:)``.
///
/// Source: Apple, *SecCertificateCopyPublicKey(_:)*, as on iOS.
@discardableResult
public func SecCertificateCopyPublicKey(_ certificate: SecCertificate) -> SecKey? {
    SecCertificateCopyKey(certificate)
}

/// Returns the serial number of a certificate; deprecated by Apple.
///
/// Use ``SecCertificateCopySerialNumberData(_:_:)``.
///
/// - Parameter certificate: The certificate.
/// - Returns: At least one byte, most significant first; never `nil`.
///
/// Source: Apple, *SecCertificateCopySerialNumber(_:)*, as on iOS.
@discardableResult
public func SecCertificateCopySerialNumber(_ certificate: SecCertificate) -> CFData? {
    SecCertificateCopySerialNumberData(certificate, nil)
}

/// Returns the bytes of a certificate's serial number, including the sign byte.
///
/// - Parameters:
///   - certificate: The certificate.
///   - error: Never set: every certificate has a serial number.
/// - Returns: At least one byte, most significant first; never `nil`.
///
/// Source: Apple, *SecCertificateCopySerialNumberData(_:_:)*.
@discardableResult
public func SecCertificateCopySerialNumberData(
    _ certificate: SecCertificate,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    NSData(data: certificate.content.serialNumber)
}
