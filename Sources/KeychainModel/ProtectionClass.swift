// SPDX-License-Identifier: Apache-2.0

/// The seven protection classes, which determine when an item can be opened.
///
/// The raw value is stored on disk.
package enum ProtectionClass: UInt8, CaseIterable, Sendable {
    case whenUnlocked = 1
    case whenUnlockedThisDeviceOnly = 2
    case afterFirstUnlock = 3
    case afterFirstUnlockThisDeviceOnly = 4
    case always = 5
    case alwaysThisDeviceOnly = 6
    case whenPasscodeSetThisDeviceOnly = 7
}

/// One row of the protection class table.
package struct ProtectionRule: Sendable {
    package enum Availability: Sendable { case unlocked, afterFirstUnlock, always }

    package let protection: ProtectionClass
    /// The value of `pdmn` in a dictionary.
    package let name: String
    /// The name of the API constant.
    package let symbol: String
    package let available: Availability
    package let needsPasscode: Bool
    package let leavesDevice: Bool

    // swift-format-ignore
    package static let table: [Self] = [
        .init(.whenUnlocked,                   "ak",   "kSecAttrAccessibleWhenUnlocked",                    .unlocked,         false, true),
        .init(.whenUnlockedThisDeviceOnly,     "aku",  "kSecAttrAccessibleWhenUnlockedThisDeviceOnly",      .unlocked,         false, false),
        .init(.afterFirstUnlock,               "ck",   "kSecAttrAccessibleAfterFirstUnlock",                .afterFirstUnlock, false, true),
        .init(.afterFirstUnlockThisDeviceOnly, "cku",  "kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly",  .afterFirstUnlock, false, false),
        .init(.always,                         "dk",   "kSecAttrAccessibleAlways",                          .always,           false, true),
        .init(.alwaysThisDeviceOnly,           "dku",  "kSecAttrAccessibleAlwaysThisDeviceOnly",            .always,           false, false),
        .init(.whenPasscodeSetThisDeviceOnly,  "akpu", "kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly",   .unlocked,         true,  false),
    ]

    private init(
        _ protection: ProtectionClass,
        _ name: String,
        _ symbol: String,
        _ available: Availability,
        _ needsPasscode: Bool,
        _ leavesDevice: Bool
    ) {
        self.protection = protection
        self.name = name
        self.symbol = symbol
        self.available = available
        self.needsPasscode = needsPasscode
        self.leavesDevice = leavesDevice
    }
}

extension ProtectionClass {
    package var rule: ProtectionRule { ProtectionRule.table[Int(rawValue) - 1] }

    package var name: String { rule.name }

    package init?(name: String) {
        guard let rule = ProtectionRule.table.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
            return nil
        }
        self = rule.protection
    }
}
