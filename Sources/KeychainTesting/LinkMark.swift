// SPDX-License-Identifier: Apache-2.0

/// Marks a program that is linked with this module, from its start: its calls do not reach the keychain of the user.
///
/// The symbol is what counts; `SystemKeychain` looks whether it is there.
@_cdecl("keychain_testing_is_linked")
package func keychainTestingIsLinked() {}
