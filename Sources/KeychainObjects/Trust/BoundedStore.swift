// SPDX-License-Identifier: Apache-2.0

#if Trust
import FoundationEssentials
import Synchronization
import X509

/// A store of intermediate certificates that limits the number of lookups.
///
/// swift-certificates tries every path through the certificates, and cross-signed certificates with the same
/// name and key have exponentially many paths. After the limit, the store returns no certificates. It also ignores
/// certificates in excess of the maximum numbers below.
struct BoundedStore: CustomCertificateStore {
    static let maximumCertificates = 256
    static let maximumOfOneName = 8
    static let maximumLookups = 64

    private let certificates: [DistinguishedName: [Certificate]]
    private let remaining: Counter

    init(_ certificates: [Certificate]) {
        self.certificates = Dictionary(grouping: certificates.prefix(Self.maximumCertificates), by: \.subject)
            .mapValues { Array($0.prefix(Self.maximumOfOneName)) }
        remaining = Counter(Self.maximumLookups)
    }

    subscript(subject: DistinguishedName) -> [Certificate]? {
        get async { remaining.take() ? certificates[subject] : nil }
    }

    func contains(_ certificate: Certificate) async -> Bool {
        certificates[certificate.subject]?.contains(certificate) == true
    }

    mutating func append(contentsOf certificates: some Sequence<Certificate>) {
        self = Self(self.certificates.values.flatMap { $0 } + certificates)
    }

    static func == (one: Self, other: Self) -> Bool { one.remaining === other.remaining }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(remaining)) }
}

/// Counts the remaining lookups of one verification.
private final class Counter: Sendable {
    private let count: Mutex<Int>

    init(_ count: Int) { self.count = Mutex(count) }

    func take() -> Bool {
        count.withLock { count in
            guard count > 0 else { return false }
            count -= 1
            return true
        }
    }
}
#endif
