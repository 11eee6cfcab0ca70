// SPDX-License-Identifier: Apache-2.0

#if Trust
import FoundationEssentials
import KeychainModel
import SwiftASN1
import Synchronization
import X509

/// The system's root certificates, which are reloaded when their file changes.
///
/// swift-certificates itself would load the roots only once, on a dispatch queue. With this type, a root removed
/// from the system also becomes untrusted in running programs, and the calling thread loads the roots.
final class SystemRoots: Sendable {
    static let shared = SystemRoots(files: [
        "/etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Arch, Alpine
        "/etc/pki/tls/certs/ca-bundle.crt",  // Fedora, Red Hat
        "/etc/ssl/ca-bundle.pem",  // SUSE
    ])

    private struct Loaded {
        let modified: Date
        let store: CertificateStore
    }

    private let files: [String]
    private let loaded = Mutex<Loaded?>(nil)

    init(files: [String]) { self.files = files }

    func store() throws(StatusError) -> CertificateStore {
        guard let (file, modified) = present() else { throw StatusError(.notAvailable, .rootsUnreadable) }
        if let store = loaded.withLock({ $0?.modified == modified ? $0?.store : nil }) { return store }
        let store = try read(file)
        loaded.withLock { $0 = Loaded(modified: modified, store: store) }
        return store
    }

    private func present() -> (file: String, modified: Date)? {
        for file in files {
            if let attributes = try? FileManager.default.attributesOfItem(atPath: file),
                let modified = attributes[.modificationDate] as? Date
            {
                return (file, modified)
            }
        }
        return nil
    }

    private func read(_ file: String) throws(StatusError) -> CertificateStore {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw StatusError(.notAvailable, .rootsUnreadable)
        }
        let roots = Self.certificates(in: String(decoding: data, as: UTF8.self))
        guard !roots.isEmpty else { throw StatusError(.notAvailable, .rootsUnreadable) }
        return CertificateStore(roots)
    }

    /// Parses the certificates in PEM, skipping those that cannot be parsed.
    static func certificates(in text: String) -> [Certificate] {
        let begin = "-----BEGIN "
        return text.split(separator: begin).dropFirst(text.hasPrefix(begin) ? 0 : 1).flatMap { block in
            let documents = (try? PEMDocument.parseMultiple(pemString: begin + block)) ?? []
            return documents.compactMap { try? Certificate(pemDocument: $0) }
        }
    }
}
#endif
