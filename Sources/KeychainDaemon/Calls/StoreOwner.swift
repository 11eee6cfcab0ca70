// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainClient
import KeychainModel

/// Records the name of a store's user in the file `owner` of the store's directory, and checks it.
///
/// If a user ID is later given to another user, that user cannot open the store of the former user.
enum StoreOwner {
    /// Compares the recorded name with the user's name; records the name if a store is created or the file is empty.
    static func check(_ user: uid_t, of directory: String, creating: Bool) throws(StatusError) {
        // For a user ID that is not in the user database, record the number itself.
        let (path, name) = (directory + "/owner", try UserAccount.find(user)?.name ?? "\(user)")
        let noted = try read(path)
        // The file is empty if the daemon ended after it created the file, and before it wrote the name.
        if let noted, !noted.isEmpty {
            guard noted.elementsEqual(name.utf8) else {
                throw StatusError(.notAvailable, .directoryNotOwned)
            }
            return
        }
        guard creating || noted != nil else { return }
        unsafe mkdir(directory, 0o700)
        let file = Descriptor(unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600))
        let bytes = Array(name.utf8)
        guard file.number >= 0, unsafe write(file.number, bytes, bytes.count) == bytes.count,
            fdatasync(file.number) == 0
        else { throw StatusError(.notAvailable, .systemCall, code: errno) }
    }

    private static func read(_ path: String) throws(StatusError) -> [UInt8]? {
        let file = Descriptor(unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW))
        guard file.number >= 0 else {
            if errno == ENOENT { return nil }
            throw StatusError(.notAvailable, .systemCall, code: errno)
        }
        var bytes = [UInt8](repeating: 0, count: 1_024)
        let count = unsafe Glibc.read(file.number, &bytes, bytes.count)
        guard count >= 0 else { throw StatusError(.notAvailable, .systemCall, code: errno) }
        return Array(bytes[..<count])
    }
}
