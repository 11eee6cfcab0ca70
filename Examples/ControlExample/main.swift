// SPDX-License-Identifier: Apache-2.0

import KeychainControl

do {
    // Throws if a keychain exists, so that its passcode is not changed.
    try KeychainControl.create()
    try KeychainControl.setPasscode(Passcode("correct-horse"))
    try KeychainControl.lock()
    print("now:", try KeychainControl.status().lockState)
    do {
        try KeychainControl.unlock(with: Passcode("battery-staple"))
    } catch {
        print("guess:", error.status)
    }
    try KeychainControl.unlock(with: Passcode("correct-horse"))
    print("now:", try KeychainControl.status().lockState)
    try KeychainControl.delete()
} catch {
    print("failed:", error.status, error.description)
}
