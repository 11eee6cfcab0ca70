// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainStore

/// Verifies a code signature as it is, and again with both of its Ed25519 signatures replaced by valid ones.
func fuzzSignature(_ data: Data) {
    checkSignature(Array(data))
    checkSignature(resigned(Array(data)))
}

private func checkSignature(_ bytes: [UInt8]) {
    guard let signature = try? CodeSignature(verifying: bytes) else { return }
    let statement = signature.statement
    precondition(signature.bytes == bytes && bytes.count <= CodeSignature.maximumByteCount)
    let groups = statement.entitlements.groups(of: statement.team) { _ in true }
    for group in groups {
        precondition(group.hasPrefix(statement.team.prefix) || group.hasPrefix("group."))
        precondition(!group.contains("*") && group.unicodeScalars.allSatisfy { $0.value >= 32 })
    }
    var store = TrustStore()
    store.addUserTeam(Team(publicKey: statement.certificate.team, name: "Fuzz"))
    _ = store.evaluate(bytes, of: statement.executable, at: statement.signedAt)
}

private let team = Ed25519PrivateKey.random()
private let key = Ed25519PrivateKey.random()
private let certificate = SigningKeyCertificate(of: key.publicKey, serial: 1, validUntil: 0, by: team)

/// Returns the bytes with the length, the certificate and the signature replaced by valid ones.
private func resigned(_ bytes: [UInt8]) -> [UInt8] {
    let (start, end) = (52, 192)
    guard bytes.count > end + Ed25519PrivateKey.signatureCount else { return bytes }
    var fields = Array(bytes.dropLast(Ed25519PrivateKey.signatureCount))
    fields.replaceSubrange(start..<end, with: certificate.encoded)
    let count = UInt32(fields.count + Ed25519PrivateKey.signatureCount)
    fields.replaceSubrange(8..<12, with: (0..<4).map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) })
    return fields + key.signature(of: Array("keychain code signature 1\0".utf8) + fields)
}

func fuzzTeamFile(_ data: Data) {
    guard let team = try? TeamFile.parse(Array(data)) else { return }
    let text = TeamFile.text(of: team)
    precondition((try? TeamFile.parse(Array(text.utf8))) == team, "a written team is read as another")
}

func fuzzExecutable(_ data: Data) {
    let bytes = Array(data)
    let image = ExecutableImage { offset, count in
        guard offset < bytes.count else { return nil }
        return Array(bytes[Int(offset)...].prefix(count))
    }
    _ = image?.usesOrigin
}
