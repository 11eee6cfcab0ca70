// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension TemporaryKeychain {
    /// How a temporary keychain is made, and for which application.
    public struct Options: Sendable {
        /// The identifier of the application that calls.
        public var applicationIdentifier: String
        /// All its access groups, the one in which items are made by default first; `nil` for the identifier alone.
        public var accessGroups: [String]?
        /// Where the files of the store are.
        public var place: Place
        /// The passcode that is set from the start, the keychain being unlocked; `nil` for none.
        public var passcode: String? {
            get { hiddenPasscode?.text }
            set { hiddenPasscode = newValue.map(HiddenText.init) }
        }
        private var hiddenPasscode: HiddenText?
        /// Whether the keychain is also that of threads and detached tasks, which belong to no test.
        ///
        /// Tests that ask for this run one after the other. Calls of a test that has another temporary keychain reach
        /// that one as always; those of a test that has none would reach this one meanwhile. Without it the calls of such
        /// threads and tasks are `errSecNotAvailable`, unless `KEYCHAIN_HOME` names a store for them.
        public var wholeProcess: Bool

        /// Collects the options.
        public init(
            applicationIdentifier: String = "com.example.tests",
            accessGroups: [String]? = nil,
            place: Place = .memory,
            passcode: String? = nil,
            wholeProcess: Bool = false
        ) {
            self.applicationIdentifier = applicationIdentifier
            self.accessGroups = accessGroups
            self.place = place
            hiddenPasscode = passcode.map(HiddenText.init)
            self.wholeProcess = wholeProcess
        }
    }

    /// Where the files of a store are while a test runs.
    public struct Place: Sendable, Hashable {
        /// The directory in which the store's own is made; `nil` for the memory file system.
        let parent: URL?

        /// In memory, where nothing waits for a disk.
        ///
        /// The files are on the memory file system `/dev/shm`, or in the temporary directory where there is none.
        public static let memory = Self(parent: nil)

        /// On disk, in the temporary directory.
        public static var disk: Self { disk(in: FileManager.default.temporaryDirectory) }

        /// On disk, in a directory of its own within the given one, which must exist.
        public static func disk(in parent: URL) -> Self { Self(parent: parent) }
    }
}

/// A text that no description and no mirror shows.
struct HiddenText: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    let text: String

    init(_ text: String) { self.text = text }

    var description: String { "[redacted]" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
