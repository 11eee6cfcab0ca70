// SPDX-License-Identifier: Apache-2.0

/// Does nothing; its symbol marks a program as linked with `KeychainTesting`.
///
/// If `SystemKeychain` finds the symbol, it never uses the user's keychain.
@_cdecl("keychain_testing_is_linked")
package func keychainTestingIsLinked() {}
