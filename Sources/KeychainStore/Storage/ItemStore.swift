// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// The tables `item` and `page` of a keychain's SQLite database.
///
/// A page is a blob such as the header, the keybag or the lock page. This class has no keys and does not decrypt
/// anything.
package final class ItemStore {
    private let database: Database
    /// The open directory, used to query the free space of its file system.
    let directory: FileDescriptor
    /// The device and inode numbers of the database's files when they were opened.
    private var files: DatabaseFiles

    let checkpointThreshold: Int
    var hasEmptiedLog = false
    /// The number of pages that ``vacuum()`` has removed from the database since the last checkpoint.
    var vacuumedPages = 0
    /// The number of free pages after this connection's last transaction, with the data version at that time.
    var freePages = (count: 0, version: UInt32?.none)
    /// The largest row number, with the data version when it was read.
    var lastNumber = (value: UInt64(0), version: UInt32?.none)
    /// Whether the settings that only writing needs have been applied.
    private var isPrepared = false
    private var isCacheEnlarged = false
    private var reads = 0
    /// Whether the disk was almost full at this connection's last write.
    var isSpaceTight = false
    /// When the disk last had plenty of free space, by ``CoarseClock``; `nil` requires another check.
    var spaceCheck: Int64?
    /// The maximum size of SQLite's page cache, in KiB.
    private static let cacheSize = 16_384
    /// The number of read transactions after which the page cache is enlarged: opening the store and one request.
    private static let readsWithSmallCache = 2

    /// The maximum checkpoint threshold, so that a multiple of it does not overflow; no write-ahead log is so long.
    private static let highestThreshold = 1 << 40

    /// Opens the database in a directory, and checks its format.
    ///
    /// Until ``accept(in:)`` is called, closing the database removes a write-ahead log that this connection created.
    ///
    /// - Throws: `notAvailable` with the reason, such as `databaseMissing`, `databaseForeign`, `earlierFormat`,
    ///   `databaseNewer`, `databaseDamaged` or `journalPresent`. Nothing is changed on disk, except that SQLite
    ///   creates the index of a log that has none.
    package init(in directory: borrowing PrivateDirectory, _ location: StoreLocation) throws(StatusError) {
        let name = StoreLocation.databaseName
        guard let identity = try directory.inspect(name) else {
            throw StatusError(.notAvailable, .databaseMissing)
        }
        // Refuse any rollback journal: if it is hot, SQLite would roll it back, which changes the database.
        guard try directory.inspect(name + "-journal") == nil else {
            throw StatusError(.notAvailable, .journalPresent, file: .journal)
        }
        let files = try DatabaseFiles(database: identity, in: directory)
        let index = try SharedIndex(of: identity, named: files.index, in: directory)
        let database = try Database(
            path: directory.resolvedPath(of: name),
            creating: false,
            fileSystem: location.fileSystem,
            index: index
        )
        if files.log == nil, files.index == nil { database.keepLogOnClose(false) }
        try Self.recognize(database)
        try Self.configure(database)
        self.database = database
        checkpointThreshold = min(location.checkpointThreshold, Self.highestThreshold)
        self.directory = try directory.duplicate()
        self.files = files
    }

    /// Makes closing the database keep its write-ahead log from now on.
    ///
    /// Call this function once the contents have been authenticated.
    ///
    /// - Throws: `notAvailable` with `databaseReplaced` if the log or its index has been replaced.
    package func accept(in directory: borrowing PrivateDirectory) throws(StatusError) {
        database.keepLogOnClose(true)
        // SQLite has opened the existing files, and has created those that were missing.
        let found = try DatabaseFiles(database: files.database, in: directory)
        guard let log = found.log, let index = found.index, files.log ?? log == log,
            files.index ?? index == index, database.index?.settle(on: index) != false
        else { throw StatusError(.notAvailable, .databaseReplaced) }
        files = found
    }

    /// Returns whether the names of the database, write-ahead log and WAL index still refer to the open files.
    ///
    /// Other processes would not see writes to files that no longer have these names.
    package func hasFiles(in directory: borrowing PrivateDirectory) -> Bool {
        directory.has(StoreLocation.databaseName, being: files.database)
            && files.log.map { directory.has(DatabaseFiles.logName, being: $0) } ?? true
            && files.index.map { directory.has(SharedIndex.name, being: $0) } ?? true
    }

    /// Checks that the database is a keychain with a supported format.
    private static func recognize(_ database: Database) throws(StatusError) {
        // SQLite treats a file shorter than its smallest page as a new database, and would delete the write-ahead log.
        guard var numbers = try database.numbersInFile() else {
            throw StatusError(.notAvailable, .databaseDamaged)
        }
        let isKnown: Bool
        do throws(StatusError) {
            isKnown = try hasKnownSchema(database)
        } catch {
            // This version may be unable to read the schema of a newer version or of another program.
            if let numbers = try DatabaseNumbers(database) { try recognize(numbers) }
            throw error
        }
        // Reading the numbers from the file is faster than two pragmas, but the write-ahead log may contain other ones.
        if !database.isLogEmpty, let current = try DatabaseNumbers(database) { numbers = current }
        try recognize(numbers)
        guard isKnown, database.hasLog else { throw StatusError(.notAvailable, .databaseDamaged) }
    }

    private static func hasKnownSchema(_ database: Database) throws(StatusError) -> Bool {
        var (count, isKnown) = (0, true)
        // Skip the index that the constraint UNIQUE has created: its `sql` is NULL.
        try database.execute("SELECT sql FROM sqlite_schema ORDER BY rowid") { row in
            guard !row.isNull(0) else { return }
            isKnown = isKnown && count < Schema.statements.count && row.holds(Schema.statements[count], in: 0)
            count += 1
        }
        return isKnown && count == Schema.statements.count
    }

    private static func recognize(_ numbers: DatabaseNumbers) throws(StatusError) {
        guard numbers.applicationID == Schema.applicationID else {
            throw StatusError(.notAvailable, .databaseForeign)
        }
        guard numbers.userVersion > 0 else { throw StatusError(.notAvailable, .databaseDamaged) }
        guard numbers.userVersion >= Schema.version else { throw StatusError(.notAvailable, .earlierFormat) }
        guard numbers.userVersion <= Schema.version else { throw StatusError(.notAvailable, .databaseNewer) }
    }

    private static func configure(_ database: Database) throws(StatusError) {
        database.forbidMapping()
        _ = try database.pragma("cell_size_check = ON")
    }

    /// Raises the limit of SQLite's page cache.
    ///
    /// A program that makes a single request starts faster without this.
    func enlargeCache() throws(StatusError) {
        guard !isCacheEnlarged else { return }
        _ = try database.pragma("cache_size = -\(Self.cacheSize)")
        isCacheEnlarged = true
    }

    /// Applies the settings that only writing needs, unless they have been applied.
    ///
    /// A program that only reads starts faster without them.
    private func prepareForWriting() throws(StatusError) {
        guard !isPrepared else { return }
        try enlargeCache()
        _ = try database.pragma("secure_delete = ON")
        // Durability depends on this setting; most builds of SQLite have it as the default.
        if try database.pragma("synchronous") != "2" {
            _ = try database.pragma("synchronous = FULL")
            guard try database.pragma("synchronous") == "2" else {
                throw StatusError(.notAvailable, .settingRefused)
            }
        }
        isPrepared = true
    }

    /// Creates a database under a temporary name, and renames it when it is durable.
    ///
    /// The caller holds the writer lock.
    package static func create(
        in directory: borrowing PrivateDirectory,
        pages: [(number: Int64, content: [UInt8])]
    ) throws(StatusError) {
        guard try directory.inspect(StoreLocation.databaseName) == nil else {
            throw StatusError(.duplicateKeychain, .storeExists)
        }
        let temporary = StoreLocation.databaseName + ".new"
        for suffix in ["", "-journal", "-wal", "-shm"] { directory.remove(temporary + suffix) }
        try directory.createEmpty(temporary)
        do throws(StatusError) {
            let database = try Database(
                path: directory.resolvedPath(of: temporary),
                creating: true,
                fileSystem: nil
            )
            _ = try database.pragma("page_size = 4096")
            // Enable incremental vacuum, which is possible only before the first table is created.
            _ = try database.pragma("auto_vacuum = INCREMENTAL")
            _ = try database.pragma("synchronous = FULL")
            try database.execute("BEGIN IMMEDIATE")
            for statement in Schema.statements { try database.execute(statement) }
            _ = try database.pragma("application_id = \(Schema.applicationID)")
            _ = try database.pragma("user_version = \(Schema.version)")
            for page in pages { try Self.write(page.content, asPage: page.number, to: database) }
            try database.execute("COMMIT")
            guard try database.pragma("journal_mode = WAL") == "wal" else {
                throw StatusError(.notAvailable, .settingRefused)
            }
        } catch {
            for suffix in ["", "-journal", "-wal", "-shm"] { directory.remove(temporary + suffix) }
            throw error
        }
        for suffix in ["-wal", "-shm"] { directory.remove(temporary + suffix) }
        try directory.rename(temporary, to: StoreLocation.databaseName)
    }

    package var isReadOnly: Bool { database.isReadOnly }
}

extension ItemStore {
    /// Calls the closure in a read transaction: all reads see the same snapshot.
    package func read<Result>(
        _ body: () throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        if reads == Self.readsWithSmallCache { try enlargeCache() } else { reads += 1 }
        try perform(.begin)
        let result: Result
        do throws(StatusError) {
            result = try body()
        } catch {
            end()
            throw error
        }
        try perform(.commit)
        return result
    }

    /// Calls the closure in a write transaction, which is durable on return.
    ///
    /// The transaction fails if it would leave too little free space on the disk to delete items later, unless
    /// `usingReserve` is true. The caller holds the writer lock.
    package func write<Result>(
        usingReserve: Bool = false,
        _ body: () throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        try prepareForWriting()
        try perform(.beginImmediate)
        if lastNumber.version != contentVersion { lastNumber.version = nil }
        database.collectLogWrites()
        do throws(StatusError) {
            try noteFreePages()
            let result = try body()
            try vacuum()
            checkSpace()
            if !usingReserve { try reserveSpace() }
            try perform(.commit)
            freePages.version = contentVersion
            lastNumber.version = lastNumber.version == nil ? nil : contentVersion
            return result
        } catch {
            freePages.version = nil
            lastNumber.version = nil
            end()
            throw error
        }
    }

    func perform(_ sql: SQL) throws(StatusError) {
        try database.run(sql) { statement throws(StatusError) in _ = try statement.step() }
    }

    /// Rolls back the transaction, unless SQLite has already done so after an error.
    private func end() {
        if database.isInTransaction { do throws(StatusError) { try perform(.rollback) } catch {} }
        database.collectLogWrites()
    }

    /// Copies the write-ahead log into the database and empties it; returns whether the log was emptied.
    ///
    /// The caller holds the writer lock and has no open transaction. The call waits at most `milliseconds`
    /// for readers. If it returns false, the log and the database may still contain overwritten data.
    package func emptyLog(waiting milliseconds: Int32) -> Bool { database.emptyLog(waiting: milliseconds) }

    /// The header of the WAL index, which every commit changes; `nil` while a commit changes it, or without an index.
    var logHeader: LogHeader? { database.logHeader }

    /// SQLite's data version, which changes with the contents; valid in a transaction after a read.
    package var contentVersion: UInt32 { database.contentVersion }
}

extension ItemStore {
    package func page(_ number: Int64) throws(StatusError) -> [UInt8]? {
        try database.run(.pageRead) { statement throws(StatusError) in
            try statement.bind(number, at: 1)
            return try statement.step() ? statement.bytes(0) : nil
        }
    }

    package func write(_ content: [UInt8], asPage number: Int64) throws(StatusError) {
        try Self.write(content, asPage: number, to: database)
    }

    package func deletePage(_ number: Int64) throws(StatusError) {
        try database.run(.pageDelete) { statement throws(StatusError) in
            try statement.bind(number, at: 1)
            _ = try statement.step()
        }
    }

    private static func write(
        _ content: [UInt8],
        asPage number: Int64,
        to database: Database
    ) throws(StatusError) {
        try database.run(.pageWrite) { statement throws(StatusError) in
            try statement.bind(number, at: 1)
            try statement.bind(content, at: 2)
            _ = try statement.step()
        }
    }
}

extension ItemStore {
    /// The connection, for extensions in other files.
    var connection: Database { database }
}

/// The device and inode numbers of an open database's files; `nil` for a file that does not exist.
private struct DatabaseFiles {
    static let logName = StoreLocation.databaseName + "-wal"

    let database: FileIdentity
    let log: FileIdentity?
    let index: FileIdentity?

    init(database: FileIdentity, in directory: borrowing PrivateDirectory) throws(StatusError) {
        self.database = database
        log = try directory.inspect(Self.logName)
        index = try directory.inspect(SharedIndex.name)
    }
}
