// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

@testable import KeychainDaemon

/// The records and requests between `securityd` and `keychain-identify`.
@Suite struct ProgramRecordTests {
    private static let digest = ExecutableDigest(digest: Bytes32(digestOf: Array("canary".utf8)), size: 7)

    private static let records: [ProgramRecord] =
        [
            ProgramRecord(.gone), ProgramRecord(.identified, path: "/usr/bin/canary"),
            ProgramRecord(
                .identified,
                digest,
                hasPrivateGroup: true,
                isLocal: true,
                isSecureExecution: true,
                isInstalled: true,
                path: "/" + String(repeating: "é", count: 200)
            ),
        ]
        + ["snap:mail", "apparmor:/usr/bin/mail", "flatpak:org.example.Mail"].map { name in
            ProgramRecord(
                .identified,
                digest,
                isLocal: true,
                isInstalled: true,
                sandbox: Sandbox(text: name),
                path: "/a"
            )
        }

    @Test func `a record is encoded and decoded without a change`() throws {
        for record in Self.records {
            #expect(record.bytes.count == ProgramRecord.byteCount)
            let decoded = try ProgramRecord(bytes: record.bytes)
            #expect(decoded.bytes == record.bytes && decoded.sandbox == record.sandbox)
            #expect(decoded.executable == record.executable && decoded.path == record.path)
        }
    }

    @Test func `a shortened path does not name an installed executable`() {
        let path = "/" + String(repeating: "a", count: RegisteredPrograms.maximumPathByteCount)
        #expect(!ProgramRecord(.identified, isInstalled: true, path: path).isInstalled)
        #expect(ProgramRecord(.identified, isInstalled: true, path: String(path.dropLast())).isInstalled)
    }

    @Test func `damaged records are refused, or have exactly one encoding`() throws {
        var generator = SeededGenerator(seed: Sampling.seed)
        for _ in 0..<(Sampling.isThorough ? 1_000_000 : 10_000) {
            var bytes = Self.records.randomElement(using: &generator)?.bytes ?? []
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: bytes.indices, using: &generator)
                bytes[index] = .random(in: 0...255, using: &generator)
            }
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: bytes.removeLast(Int.random(in: 1...bytes.count, using: &generator))
            case 1: bytes.append(0)
            default: break
            }
            guard let record = try? ProgramRecord(bytes: bytes) else { continue }
            #expect(record.bytes == bytes)
        }
    }

    @Test func `a request of keychain-identify has 8 or 12 bytes`() {
        for request in [IdentifyRequest(.max), IdentifyRequest(1, group: 0), IdentifyRequest(2, group: .max)]
        {
            #expect(IdentifyRequest(bytes: request.bytes) == request)
        }
        for count in 0..<16 where count != 8 && count != 12 {
            #expect(IdentifyRequest(bytes: [UInt8](repeating: 0, count: count)) == nil)
        }
    }
}
