// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainObjects
import Testing

/// The algorithms listed in `Documentation/Keys.md` agree with the code.
@Suite struct KeysPageTests {
    private let lines: [String]

    init() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Documentation/Keys.md").standardizedFileURL
        lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    @Test func `the page lists the algorithms of the code in order`() {
        let described = lines.filter { $0.hasPrefix("| `kSecKeyAlgorithm") }
        #expect(described == KeyAlgorithm.table.map(row))
    }

    @Test func `the page lists the key sizes of the code`() {
        let curves = Curve.allCases.map { "P-\($0.bits)" }.joined(separator: ", ")
        let sizes = KeySpecification.rsaSizes
        let range = "\(grouped(sizes.lowerBound)) to \(grouped(sizes.upperBound)) bits"
        #expect(lines.contains { $0.hasPrefix("| RSA | `kSecAttrKeyTypeRSA` | \(range), ") })
        #expect(
            lines.contains {
                $0.hasPrefix("| EC | `kSecAttrKeyTypeECSECPrimeRandom` | \(curves) | the same |")
            }
        )
    }

    private func grouped(_ number: Int) -> String {
        number.formatted(.number.locale(Locale(identifier: "en_US")))
    }

    private func row(_ algorithm: KeyAlgorithm) -> String {
        let operations =
            switch algorithm.task {
            case .sign: "sign, verify"
            case .encrypt: "encrypt, decrypt"
            case .agree: "agree"
            }
        let columns = [
            "`\(algorithm.constant)`", operations, algorithm.keyType == .rsa ? "RSA" : "EC",
            algorithm.hash?.rawValue ?? "", algorithm.obstacle.map { "no: \($0.reason)" } ?? "yes",
        ]
        return "| " + columns.joined(separator: " | ") + " |"
    }
}
