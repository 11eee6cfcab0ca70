// SPDX-License-Identifier: Apache-2.0

/// Does nothing; its symbol marks a program as linked with `KeychainTesting`.
///
/// If `SystemKeychain` finds the symbol, calls outside of tests fail, unless `KEYCHAIN_HOME` names a store for them.
@_cdecl("keychain_testing_is_linked")
package func keychainTestingIsLinked() {}
