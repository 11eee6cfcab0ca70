// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A root directory that looks like that of a Flatpak application, to run programs of a user in.
///
/// It stands for a Flatpak that has no PID or user namespace of its own. Like `flatpak run --command`, it lets a user
/// run any program in the application's sandbox.
struct FlatpakRoot {
    static let sandbox = "flatpak:org.example.Mail"

    private let root: String
    private let application: String

    /// Creates the root directory of an application, by default that of ``sandbox``.
    init(in directory: URL, application: String = "org.example.Mail") throws {
        self.application = application
        let root = directory.appending(component: "root-\(application)")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: false)
        self.root = root.path
    }

    private static let script = """
        root=$1 application=$2 uid=$3; shift 3
        mount -t tmpfs tmpfs "$root"
        for name in /*; do
            if [ -L "$name" ]; then cp -P "$name" "$root$name"
            elif [ -d "$name" ]; then mkdir "$root$name" && mount --rbind "$name" "$root$name"; fi
        done
        printf '[Application]\\nname=%s\\n' "$application" > "$root/.flatpak-info"
        exec chroot "$root" setpriv --reuid "$uid" --regid "$uid" --clear-groups "$@"
        """

    /// The path of the program that runs a command in the root directory.
    static let launcher = "/usr/bin/unshare"

    /// Returns the launcher's arguments, which run a command as a user.
    func arguments(_ command: [String], as user: SystemDaemon.User) -> [String] {
        [
            "--mount", "--propagation", "private", "/bin/sh", "-ec", Self.script, "sh", root,
            application, "\(user.rawValue)",
        ] + command
    }
}
