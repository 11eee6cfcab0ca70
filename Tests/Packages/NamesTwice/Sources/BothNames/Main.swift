// SPDX-License-Identifier: Apache-2.0

/// Uses both packages' libraries in one target, each in a file of its own.
@main struct Main {
    static func main() {
        precondition(usesOurs() && usesOthers())
        print("both names: Valet, FXKeychain, Lockbox, Security, LocalAuthentication")
    }
}
