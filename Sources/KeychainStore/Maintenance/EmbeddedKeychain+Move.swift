// SPDX-License-Identifier: Apache-2.0

import Glibc
package import KeychainModel

extension EmbeddedKeychain {
    /// Renames the store's directory after its items were copied elsewhere; nothing is deleted.
    ///
    /// At their next call, programs that have the store open find no store at its former path.
    ///
    /// - Returns: `false`, without renaming, if the number of writes to the store is no longer `generation`.
    /// - Throws: `inputOutput` with `systemCall` if `path` exists or the directory cannot be renamed; `notAvailable`
    ///   with `writerBusy` if another program writes for too long.
    package func move(to path: String, ifUnchangedSince generation: UInt64) throws(StatusError) -> Bool {
        let from = location.directory
        return try write { session throws(StatusError) in
            try session.store.writerLock.acquire()
            defer { session.store.writerLock.release() }
            try session.reader.checkFilesUnreplaced()
            try session.reader.reload()
            guard session.state.header.generation == generation else { return false }
            guard unsafe access(path, F_OK) != 0 else {
                throw StatusError(.inputOutput, .systemCall, code: EEXIST)
            }
            guard unsafe rename(from, path) == 0 else {
                throw StatusError(.inputOutput, .systemCall, code: errno)
            }
            return true
        }
    }
}
