// SPDX-License-Identifier: Apache-2.0

/// Marks a program as linked with this module, so its calls never reach the user's keychain.
///
/// `SystemKeychain` checks whether the symbol exists.
@_cdecl("keychain_testing_is_linked")
package func keychainTestingIsLinked() {}
