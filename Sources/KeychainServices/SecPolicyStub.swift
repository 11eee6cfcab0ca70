public import Foundation
import KeychainModel

public final class SecPolicy: NSObject, Sendable {
    let content: CertificatePolicy
    init(_ content: CertificatePolicy) { self.content = content }
}
