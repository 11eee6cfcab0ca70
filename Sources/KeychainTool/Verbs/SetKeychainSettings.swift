// SPDX-License-Identifier: Apache-2.0

import KeychainControl

/// `set-keychain-settings`: sets when the store locks automatically.
struct SetKeychainSettings {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        try Keychains.useOperand(of: arguments)
        var interval: UInt32?
        if let text = arguments.occurrences.last(where: { $0.option.name == "timeout" })?.value {
            guard let seconds = UInt32(text), seconds > 0 else {
                throw .usage("-t takes a number of seconds")
            }
            interval = seconds
        } else if arguments.has("lock-after-timeout") {
            // macOS's default time-out in seconds, for `-u` without `-t`.
            interval = 300
        }
        let onSleep = arguments.has("lock-on-sleep")
        try KeychainCalls.control("SecKeychainSetSettings") { () throws(KeychainControlError) in
            try KeychainControl.setAutoLock(after: interval, onSleep: onSleep)
        }
    }
}
