// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// The unique attributes that a key can have of which a filter names some.
///
/// Label and tag have digests of their own, so the filter's are right; a key of which it names none is guessed to have
/// none. The class is guessed even if it is named: the two halves of a pair differ in nothing else.
struct KeyGuess {
    private let named: Attributes

    init(_ named: Attributes) { self.named = named }

    private static let classes: [Int64] = [0, 1, 2]

    /// The sizes that keys of a type have; zero stands for what programs leave out when they store bytes.
    private static let sizes: [(type: Int64, bits: [Int64])] = [
        (0, [0, 128, 192, 256]),
        // RSA.
        (42, [0] + stride(from: 1024, through: 8192, by: 128)),
        // The curves of NIST.
        (73, [0, 256, 384, 521]),
    ]

    /// Every combination, the likely ones first.
    var candidates: some Sequence<Attributes> {
        Self.sizes.lazy.flatMap { row in row.bits.lazy.map { (row.type, $0) } }
            .flatMap { type, bits in
                Set([bits, 0]).lazy.flatMap { effective in
                    Self.classes.lazy.map { (type, bits, effective, $0) }
                }
            }
            .map(candidate)
    }

    private func candidate(_ type: Int64, _ bits: Int64, _ effective: Int64, _ keyClass: Int64) -> Attributes
    {
        var candidate = named
        candidate[.keyClass] = .number(keyClass)
        if named[.type] == nil { candidate[.type] = .number(type) }
        if named[.keySizeInBits] == nil { candidate[.keySizeInBits] = .number(bits) }
        if named[.effectiveKeySize] == nil { candidate[.effectiveKeySize] = .number(effective) }
        return candidate
    }
}
