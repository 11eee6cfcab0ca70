// SPDX-License-Identifier: Apache-2.0

/// A target that uses the libraries of both packages, each in a file of its own.
@main struct Main {
    static func main() {
        precondition(usesOurs() && usesOthers())
        print("both names: Valet, FXKeychain, Lockbox, Security, LocalAuthentication")
    }
}
