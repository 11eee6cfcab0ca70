// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainClient
import KeychainControl

/// `unlock-keychain --pam`: unlocks the keychain of the user who logs in, with the login password.
///
/// `pam_exec` starts it as root, with `PAM_USER` and `PAM_TYPE` in the environment and the password on standard
/// input. It reports no error, and is ended after ten seconds, so that it cannot prevent a login.
struct PAMUnlock {
    private static let seconds: UInt32 = 10

    func run() {
        // SIGALRM ends this process; PAM ignores the failure if its configuration calls pam_exec as `optional`.
        alarm(Self.seconds)
        guard unsafe getenv("PAM_TYPE").map({ unsafe String(cString: $0) }) == "auth",
            let name = unsafe getenv("PAM_USER"), become(userNamed: unsafe String(cString: name))
        else { return }
        guard let passcode = try? PasscodeFile.read(STDIN_FILENO) else { return }
        // Without a keychain or a passcode, there is nothing to unlock.
        guard let status = try? KeychainControl.status(), status.passcodeIsSet else { return }
        try? KeychainControl.unlock(with: passcode)
    }

    /// Becomes the user who logs in, with the user's directories in the environment; `false` on failure.
    private func become(userNamed name: String) -> Bool {
        guard let found = try? UserAccount.find(named: name) else { return false }
        if geteuid() == 0, found.user != 0 {
            guard clinux_become(found.user, found.group) == 0 else { return false }
        }
        guard geteuid() == found.user else { return false }
        unsafe setenv("HOME", found.home, 1)
        // systemd creates this directory at the login; until then, the kernel's keyring stores the keys.
        if unsafe getenv("XDG_RUNTIME_DIR") == nil {
            unsafe setenv("XDG_RUNTIME_DIR", "/run/user/\(found.user)", 1)
        }
        return true
    }
}
