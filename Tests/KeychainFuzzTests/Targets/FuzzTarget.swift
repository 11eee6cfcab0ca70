// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A parser of bytes from outside, as a fuzzer sees it: any bytes go in, nothing may end the process.
///
/// A `precondition` in a target is a promise about the parser's answer. `Scripts/fuzz` runs the targets under libFuzzer;
/// the tests feed each of them its corpus.
struct FuzzTarget: Sendable {
    /// The name on the command line, and the folder of the corpus.
    let name: String
    let run: @Sendable (Data) -> Void

    static let all = [
        FuzzTarget(name: "certificate", run: fuzzCertificate),
        FuzzTarget(name: "name", run: fuzzName),
        FuzzTarget(name: "trust", run: fuzzTrust),
        FuzzTarget(name: "key", run: fuzzKey),
        FuzzTarget(name: "import", run: fuzzImport),
        FuzzTarget(name: "archive", run: fuzzArchive),
        FuzzTarget(name: "query", run: fuzzQuery),
        FuzzTarget(name: "entitlements", run: fuzzEntitlements),
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
    ]
}
