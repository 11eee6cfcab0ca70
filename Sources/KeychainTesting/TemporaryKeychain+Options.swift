// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension TemporaryKeychain {
    /// The options of a temporary keychain and its calling application.
    public struct Options: Sendable {
        /// The application identifier of the calling program.
        public var applicationIdentifier: String
        /// All access groups, starting with the default for new items; `nil` for the application identifier only.
        public var accessGroups: [String]?
        /// Where the store's files are created.
        public var location: Location
        /// The passcode of the new keychain, which starts unlocked; `nil` for none.
        public var passcode: String? {
            get { hiddenPasscode?.text }
            set { hiddenPasscode = newValue.map(RedactedString.init) }
        }
        private var hiddenPasscode: RedactedString?
        /// Whether the keychain also applies to threads and detached tasks, which belong to no test.
        ///
        /// Tests with this option run one after the other. A concurrent test without the option uses its own
        /// temporary keychain if it has one, and otherwise this keychain. Without the option, calls on threads and
        /// detached tasks return `errSecNotAvailable`, unless `KEYCHAIN_HOME` names a store for them.
        public var wholeProcess: Bool

        /// Creates options.
        public init(
            applicationIdentifier: String = "com.example.tests",
            accessGroups: [String]? = nil,
            location: Location = .memory,
            passcode: String? = nil,
            wholeProcess: Bool = false
        ) {
            self.applicationIdentifier = applicationIdentifier
            self.accessGroups = accessGroups
            self.location = location
            hiddenPasscode = passcode.map(RedactedString.init)
            self.wholeProcess = wholeProcess
        }
    }

    /// Where a store's files are during a test.
    public struct Location: Sendable, Hashable {
        /// The directory in which the store's own directory is created; `nil` for the memory file system.
        let parent: URL?

        /// In memory, without disk latency.
        ///
        /// The files are on the memory file system `/dev/shm`, or in the temporary directory if there is
        /// none.
        public static let memory = Self(parent: nil)

        /// On disk, in the temporary directory.
        public static var disk: Self { disk(in: FileManager.default.temporaryDirectory) }

        /// On disk, in a new directory within the given one, which must exist.
        public static func disk(in parent: URL) -> Self { Self(parent: parent) }
    }
}

/// A string that descriptions and mirrors do not reveal.
struct RedactedString: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    let text: String

    init(_ text: String) { self.text = text }

    var description: String { "[redacted]" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
