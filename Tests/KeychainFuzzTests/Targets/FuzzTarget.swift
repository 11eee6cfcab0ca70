// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A fuzz target: a parser of untrusted bytes that must not crash for any input.
///
/// A `precondition` in a target checks the parser's result. `Scripts/fuzz` runs the targets with libFuzzer; the
/// tests run them on their corpus.
struct FuzzTarget: Sendable {
    /// The name of the target on the command line, and of its corpus folder.
    let name: String
    let run: @Sendable (Data) -> Void

    static let all = [
        FuzzTarget(name: "certificate", run: fuzzCertificate),
        FuzzTarget(name: "name", run: fuzzName),
        FuzzTarget(name: "trust", run: fuzzTrust),
        FuzzTarget(name: "key", run: fuzzKey),
        FuzzTarget(name: "import", run: fuzzImport),
        FuzzTarget(name: "archive", run: fuzzArchive),
        FuzzTarget(name: "keepass", run: fuzzKeePass),
        FuzzTarget(name: "query", run: fuzzQuery),
        FuzzTarget(name: "entitlements", run: fuzzEntitlements),
        FuzzTarget(name: "signature", run: fuzzSignature),
        FuzzTarget(name: "team", run: fuzzTeamFile),
        FuzzTarget(name: "executable", run: fuzzExecutable),
        FuzzTarget(name: "plist", run: fuzzPropertyList),
        FuzzTarget(name: "keyedarchive", run: fuzzKeyedArchive),
        FuzzTarget(name: "record", run: fuzzRecord),
        FuzzTarget(name: "constrained", run: fuzzConstrained),
        FuzzTarget(name: "header", run: fuzzHeader),
        FuzzTarget(name: "keybag", run: fuzzKeybag),
        FuzzTarget(name: "devicekey", run: fuzzDeviceKey),
        FuzzTarget(name: "lockpage", run: fuzzLockPage),
        FuzzTarget(name: "recipient", run: fuzzRecipient),
        FuzzTarget(name: "unlockedkeys", run: fuzzUnlockedKeys),
        FuzzTarget(name: "assuan", run: fuzzAssuan),
        FuzzTarget(name: "frames", run: fuzzFrames),
        FuzzTarget(name: "message", run: fuzzMessage),
    ]
}
