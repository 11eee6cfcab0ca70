// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// An export that includes a damaged item writes nothing; keys that cannot be extracted are left out.
@Suite struct ExportRefusalTests {
    enum Obstacle: CaseIterable, Sendable {
        case damagedKey, damagedCertificate, keptKey, bytesThatAreNoKey

        /// The arguments of `-t` for which the export fails.
        var types: [String] {
            switch self {
            case .damagedKey: ["all", "identities", "privKeys"]
            case .damagedCertificate: ["all", "identities", "allcerts"]
            case .keptKey, .bytesThatAreNoKey: []
            }
        }

        /// An argument of `-t` for which the export succeeds.
        var otherType: String {
            switch self {
            case .damagedCertificate: "privKeys"
            default: "allcerts"
            }
        }

        var code: Int32 {
            switch self {
            case .damagedKey, .damagedCertificate: 93
            case .keptKey: 28
            case .bytesThatAreNoKey: 88
            }
        }

        var complaint: String {
            switch self {
            case .damagedKey, .damagedCertificate:
                "SecKeychainSearchCopyNext: Unable to decode the provided data."
            case .keptKey: "is not extractable"
            case .bytesThatAreNoKey: "is not a key or certificate that can be written"
            }
        }
    }

    private let home: TemporaryHome

    init() throws {
        home = try TemporaryHome()
        for name in ["one", "two"] {
            try sh(
                """
                openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=\(name) \
                -keyout \(name).key -out \(name).pem 2>&1 && cat \(name).key \(name).pem > \(name)
                """
            )
        }
    }

    @discardableResult
    private func sh(_ line: String) throws -> String {
        let result = try home.shell("cd && \(line)")
        try #require(result.code == 0, "\(line): \(result.complaintsText)")
        return result.outputText
    }

    /// Overwrites the encrypted value of the last item of a class with zeros.
    private func damage(_ itemClass: Int) throws {
        let script = """
            import sqlite3, sys
            database = sqlite3.connect(sys.argv[1])
            last = "(SELECT max(id) FROM item WHERE hex(substr(identity, 9, 1)) = '0%s')" % sys.argv[2]
            database.execute("UPDATE item SET secret = zeroblob(length(secret)) WHERE id = " + last)
            database.commit()
            """
        let database = home.store + "/keychain.db"
        try OpenSSLFolder().run(["python3", "-c", script, database, String(itemClass)])
    }

    private func make(_ obstacle: Obstacle) throws {
        try sh("security import one && security import two \(obstacle == .keptKey ? "-x" : "")")
        switch obstacle {
        case .damagedKey: try damage(4)
        case .damagedCertificate: try damage(3)
        case .keptKey: break
        case .bytesThatAreNoKey:
            let program = try TestTool.start(over: URL(filePath: home.store), groups: ["security"])
            defer { program.end() }
            #expect(try program.ask("raw-key") == "0")
        }
    }

    @Test(arguments: [
        (Obstacle.keptKey, "privKeys", 1), (.keptKey, "identities", 2), (.keptKey, "all", 3),
        (.bytesThatAreNoKey, "privKeys", 2), (.bytesThatAreNoKey, "all", 4),
    ])
    func `export names a key that cannot be exported and writes the others`(
        obstacle: Obstacle,
        type: String,
        blocks: Int
    ) throws {
        try make(obstacle)
        let result = try home.shell("security export -t \(type)")
        #expect(result.code == obstacle.code)
        #expect(result.outputText.matches(of: #/-----BEGIN/#).count == blocks)
        #expect(result.complaintsText.contains(obstacle.complaint))
        #expect(result.complaintsText.split(separator: "\n").count == 1)
    }

    @Test(arguments: [Obstacle.damagedKey, .damagedCertificate])
    func `an incomplete export is not written`(obstacle: Obstacle) throws {
        try make(obstacle)
        for type in obstacle.types {
            let result = try home.shell(
                """
                mkdir -p "$HOME/files" && cd "$HOME/files" && echo before > there &&
                security export -t \(type) -o new; security export -t \(type) -o there; code=$?; cat there
                ls -A; security export -t \(type); exit $code
                """
            )
            #expect(result.outputText == "before\nthere\n", "\(type)")
            let complaints = result.complaintsText.split(separator: "\n")
            #expect(complaints.count { $0 == "security: \(obstacle.complaint)" } == 3, "\(type)")
            #expect(result.code == obstacle.code, "\(type)")
        }
        // Items of another type can still be exported.
        let other = try sh("security export -t \(obstacle.otherType)")
        #expect(other.matches(of: #/-----BEGIN/#).count == 2)
    }
}
