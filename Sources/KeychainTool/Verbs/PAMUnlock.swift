// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainControl

/// `unlock-keychain --pam`: unlocks the keychain of the user who logs in, with the login password.
///
/// `pam_exec` starts it as root, with `PAM_USER` and `PAM_TYPE` in the environment and the password on standard input.
/// It never fails, and takes at most ten seconds, so that it cannot prevent a login.
struct PAMUnlock {
    private static let seconds: UInt32 = 10

    func run() {
        // SIGALRM ends this process, with an exit code that pam_exec ignores under `optional`.
        alarm(Self.seconds)
        guard unsafe getenv("PAM_TYPE").map({ unsafe String(cString: $0) }) == "auth",
            let name = unsafe getenv("PAM_USER"), become(userNamed: unsafe String(cString: name))
        else { return }
        guard let passcode = try? PasscodeFile.read(STDIN_FILENO) else { return }
        // Without a keychain, or with another passcode, there is nothing to unlock.
        guard let status = try? KeychainControl.status(), status.passcodeIsSet else { return }
        try? KeychainControl.unlock(with: passcode)
    }

    /// Becomes the user who logs in, with the user's directories in the environment.
    private func become(userNamed name: String) -> Bool {
        var strings = [CChar](repeating: 0, count: 1 << 14)
        let user: (number: uid_t, group: gid_t, home: String)? = unsafe strings.withUnsafeMutableBufferPointer
        {
            strings in
            var (entry, result) = unsafe (passwd(), nil as UnsafeMutablePointer<passwd>?)
            guard let start = strings.baseAddress,
                unsafe getpwnam_r(name, &entry, start, strings.count, &result) == 0, unsafe result != nil,
                let home = unsafe entry.pw_dir
            else { return nil }
            return unsafe (entry.pw_uid, entry.pw_gid, String(cString: home))
        }
        guard let user else { return false }
        if geteuid() == 0, user.number != 0 {
            guard clinux_become(user.number, user.group) == 0 else { return false }
        }
        guard geteuid() == user.number else { return false }
        unsafe setenv("HOME", user.home, 1)
        // systemd creates the directory at the login; before, the kernel's keyring stores the keys.
        if unsafe getenv("XDG_RUNTIME_DIR") == nil {
            unsafe setenv("XDG_RUNTIME_DIR", "/run/user/\(user.number)", 1)
        }
        return true
    }
}
