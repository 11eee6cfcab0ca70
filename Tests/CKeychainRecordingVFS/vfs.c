// SPDX-License-Identifier: Apache-2.0
#include "log.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    sqlite3_file base;
    crv_recorder *recorder;
    int file;            // -1: not recorded
    bool syncs_directory; // whether the next sync also syncs the directory, as in the Unix VFS
} recorded_file;

static sqlite3_file *real_file(sqlite3_file *file) { return (sqlite3_file *)((recorded_file *)file + 1); }
static crv_recorder *recorder_of(sqlite3_vfs *vfs) { return (crv_recorder *)vfs->pAppData; }

// Aborts the test if it runs out of memory while recording.
static void *allocate(size_t size) {
    void *memory = malloc(size ? size : 1);
    if (!memory) abort();
    return memory;
}

static void append(crv_recorder *r, log_entry entry, const void *bytes) {
    if (r->count == r->capacity) {
        r->capacity = r->capacity ? 2 * r->capacity : 1024;
        r->entries = realloc(r->entries, r->capacity * sizeof *r->entries);
        if (!r->entries) abort();
    }
    if (bytes) {
        entry.bytes = allocate(entry.length);
        memcpy(entry.bytes, bytes, entry.length);
    }
    r->entries[r->count++] = entry;
}

// MARK: Recording

static const char *last_component(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int find(const crv_recorder *r, const char *path) {
    for (int i = 0; i < r->file_count; i++)
        if (!strcmp(r->files[i].name, last_component(path))) return i;
    return -1;
}

static void read_whole(log_file *file, const char *path) {
    // Closing any descriptor of a file drops the process's locks on it, so the file is read before SQLite opens it.
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (descriptor < 0 || fstat(descriptor, &status)) abort();
    file->length = (size_t)status.st_size;
    file->bytes = allocate(file->length);
    if (read(descriptor, file->bytes, file->length) != (ssize_t)file->length) abort();
    close(descriptor);
}

static int enter(crv_recorder *r, const char *path) {
    bool exists = access(path, F_OK) == 0;
    int index = find(r, path);
    if (index < 0) {
        if (r->file_count == MAXIMUM_FILES) abort();
        index = r->file_count++;
        log_file *file = &r->files[index];
        snprintf(file->name, sizeof file->name, "%s", last_component(path));
        file->found = exists;
        if (exists) read_whole(file, path);
    }
    if (!exists) append(r, (log_entry){.kind = ENTRY_CREATE, .file = index}, NULL);
    return index;
}

/// Returns the result code with which this call must fail, or SQLITE_OK. The caller holds the mutex.
static int failure(crv_recorder *r, unsigned kind, int special) {
    if (!(r->failing_kinds & kind)) return SQLITE_OK;
    r->failing_calls++;
    bool fails = r->failing_nth && (r->failing_on ? r->failing_calls >= r->failing_nth : r->failing_calls == r->failing_nth);
    if (!fails) return SQLITE_OK;
    return r->failing_code == SQLITE_IOERR ? special : r->failing_code;
}

// MARK: File methods

static int file_close(sqlite3_file *file) {
    sqlite3_file *real = real_file(file);
    return real->pMethods ? real->pMethods->xClose(real) : SQLITE_OK;
}

static int file_read(sqlite3_file *file, void *bytes, int length, sqlite3_int64 offset) {
    recorded_file *recorded = (recorded_file *)file;
    crv_recorder *r = recorded->recorder;
    if (recorded->file >= 0) {
        pthread_mutex_lock(&r->mutex);
        int code = failure(r, CRV_READ, SQLITE_IOERR_READ);
        if (!code) r->bytes_read += (uint64_t)length;
        pthread_mutex_unlock(&r->mutex);
        if (code) return code;
    }
    return real_file(file)->pMethods->xRead(real_file(file), bytes, length, offset);
}

static int file_write(sqlite3_file *file, const void *bytes, int length, sqlite3_int64 offset) {
    recorded_file *recorded = (recorded_file *)file;
    crv_recorder *r = recorded->recorder;
    sqlite3_file *real = real_file(file);
    if (recorded->file < 0) return real->pMethods->xWrite(real, bytes, length, offset);
    pthread_mutex_lock(&r->mutex);
    int code = failure(r, CRV_WRITE, SQLITE_IOERR_WRITE);
    if (!code) code = real->pMethods->xWrite(real, bytes, length, offset);
    if (!code)
        append(r, (log_entry){.kind = ENTRY_WRITE, .file = recorded->file, .offset = (uint64_t)offset, .length = (size_t)length}, bytes);
    pthread_mutex_unlock(&r->mutex);
    return code;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    recorded_file *recorded = (recorded_file *)file;
    crv_recorder *r = recorded->recorder;
    sqlite3_file *real = real_file(file);
    if (recorded->file < 0) return real->pMethods->xTruncate(real, size);
    pthread_mutex_lock(&r->mutex);
    int code = failure(r, CRV_TRUNCATE, SQLITE_IOERR_TRUNCATE);
    if (!code) code = real->pMethods->xTruncate(real, size);
    if (!code) append(r, (log_entry){.kind = ENTRY_TRUNCATE, .file = recorded->file, .offset = (uint64_t)size}, NULL);
    pthread_mutex_unlock(&r->mutex);
    return code;
}

static int file_sync(sqlite3_file *file, int flags) {
    recorded_file *recorded = (recorded_file *)file;
    crv_recorder *r = recorded->recorder;
    sqlite3_file *real = real_file(file);
    if (recorded->file < 0) return real->pMethods->xSync(real, flags);
    pthread_mutex_lock(&r->mutex);
    int code = failure(r, CRV_SYNC, SQLITE_IOERR_FSYNC);
    if (!code) code = real->pMethods->xSync(real, flags);
    append(r, (log_entry){.kind = code ? ENTRY_FAILED_SYNC : ENTRY_SYNC, .file = recorded->file, .directory = recorded->syncs_directory}, NULL);
    if (!code) recorded->syncs_directory = false;
    if (!code && strchr(r->files[recorded->file].name, '-')) r->log_syncs++;
    else if (!code) r->database_syncs++;
    pthread_mutex_unlock(&r->mutex);
    return code;
}

#define PASS(name, parameters, arguments)                                                                              \
    static int file_##name parameters { return real_file(file)->pMethods->x##name arguments; }

PASS(FileSize, (sqlite3_file *file, sqlite3_int64 *size), (real_file(file), size))
PASS(Lock, (sqlite3_file *file, int level), (real_file(file), level))
PASS(Unlock, (sqlite3_file *file, int level), (real_file(file), level))
PASS(CheckReservedLock, (sqlite3_file *file, int *result), (real_file(file), result))
PASS(FileControl, (sqlite3_file *file, int operation, void *argument), (real_file(file), operation, argument))
PASS(SectorSize, (sqlite3_file *file), (real_file(file)))
PASS(ShmMap, (sqlite3_file *file, int region, int size, int extend, void volatile **memory),
     (real_file(file), region, size, extend, memory))
PASS(ShmLock, (sqlite3_file *file, int offset, int count, int flags), (real_file(file), offset, count, flags))
PASS(ShmUnmap, (sqlite3_file *file, int delete), (real_file(file), delete))

static void file_ShmBarrier(sqlite3_file *file) { real_file(file)->pMethods->xShmBarrier(real_file(file)); }

static int file_characteristics(sqlite3_file *file) {
    // Atomic batch writes would bypass the recording.
    return real_file(file)->pMethods->xDeviceCharacteristics(real_file(file)) & ~SQLITE_IOCAP_BATCH_ATOMIC;
}

static const sqlite3_io_methods methods = {
    .iVersion = 2, // without xFetch: memory mapping would bypass the recording
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_FileSize,
    .xLock = file_Lock,
    .xUnlock = file_Unlock,
    .xCheckReservedLock = file_CheckReservedLock,
    .xFileControl = file_FileControl,
    .xSectorSize = file_SectorSize,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = file_ShmMap,
    .xShmLock = file_ShmLock,
    .xShmBarrier = file_ShmBarrier,
    .xShmUnmap = file_ShmUnmap,
};

// MARK: VFS methods

static int vfs_open(sqlite3_vfs *vfs, sqlite3_filename path, sqlite3_file *file, int flags, int *result) {
    crv_recorder *r = recorder_of(vfs);
    recorded_file *recorded = (recorded_file *)file;
    int permanent = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL;
    recorded->base.pMethods = NULL;
    recorded->recorder = r;
    recorded->file = -1;
    pthread_mutex_lock(&r->mutex);
    size_t before = r->count;
    if (path && (flags & permanent)) recorded->file = enter(r, path);
    recorded->syncs_directory = (flags & SQLITE_OPEN_CREATE) && (flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL));
    int code = r->real->xOpen(r->real, path, real_file(file), flags, result);
    if (code) r->count = before;
    pthread_mutex_unlock(&r->mutex);
    if (real_file(file)->pMethods) recorded->base.pMethods = &methods;
    return code;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int sync_directory) {
    crv_recorder *r = recorder_of(vfs);
    pthread_mutex_lock(&r->mutex);
    int code = r->real->xDelete(r->real, path, sync_directory);
    int file = find(r, path);
    if (!code && file >= 0)
        append(r, (log_entry){.kind = ENTRY_DELETE, .file = file, .directory = sync_directory != 0}, NULL);
    pthread_mutex_unlock(&r->mutex);
    return code;
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
    return recorder_of(vfs)->real->xAccess(recorder_of(vfs)->real, path, flags, result);
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *path, int size, char *result) {
    return recorder_of(vfs)->real->xFullPathname(recorder_of(vfs)->real, path, size, result);
}

static int vfs_randomness(sqlite3_vfs *vfs, int size, char *result) {
    return recorder_of(vfs)->real->xRandomness(recorder_of(vfs)->real, size, result);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
    return recorder_of(vfs)->real->xSleep(recorder_of(vfs)->real, microseconds);
}

static int vfs_time(sqlite3_vfs *vfs, sqlite3_int64 *result) {
    return recorder_of(vfs)->real->xCurrentTimeInt64(recorder_of(vfs)->real, result);
}

static int vfs_last_error(sqlite3_vfs *vfs, int size, char *result) {
    return recorder_of(vfs)->real->xGetLastError(recorder_of(vfs)->real, size, result);
}

// MARK: Interface

crv_recorder *crv_register(const char *name) {
    crv_recorder *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->real = sqlite3_vfs_find(NULL);
    pthread_mutex_init(&r->mutex, NULL);
    r->vfs = (sqlite3_vfs){
        .iVersion = 2,
        .szOsFile = (int)sizeof(recorded_file) + r->real->szOsFile,
        .mxPathname = r->real->mxPathname,
        .zName = strdup(name),
        .pAppData = r,
        .xOpen = vfs_open,
        .xDelete = vfs_delete,
        .xAccess = vfs_access,
        .xFullPathname = vfs_full_path,
        .xRandomness = vfs_randomness,
        .xSleep = vfs_sleep,
        .xGetLastError = vfs_last_error,
        .xCurrentTimeInt64 = vfs_time,
    };
    if (sqlite3_vfs_register(&r->vfs, 0) == SQLITE_OK) return r;
    free((char *)r->vfs.zName);
    free(r);
    return NULL;
}

void crv_unregister(crv_recorder *r) {
    sqlite3_vfs_unregister(&r->vfs);
    for (size_t i = 0; i < r->count; i++) free(r->entries[i].bytes);
    for (int i = 0; i < r->file_count; i++) free(r->files[i].bytes);
    pthread_mutex_destroy(&r->mutex);
    free(r->entries);
    free((char *)r->vfs.zName);
    free(r);
}

void crv_mark(crv_recorder *r, uint64_t operation) {
    pthread_mutex_lock(&r->mutex);
    append(r, (log_entry){.kind = ENTRY_MARK, .offset = operation}, NULL);
    pthread_mutex_unlock(&r->mutex);
}

size_t crv_length(crv_recorder *r) {
    pthread_mutex_lock(&r->mutex);
    size_t count = r->count;
    pthread_mutex_unlock(&r->mutex);
    return count;
}

size_t crv_database_syncs(crv_recorder *r) {
    pthread_mutex_lock(&r->mutex);
    size_t count = r->database_syncs;
    pthread_mutex_unlock(&r->mutex);
    return count;
}

size_t crv_log_syncs(crv_recorder *r) {
    pthread_mutex_lock(&r->mutex);
    size_t count = r->log_syncs;
    pthread_mutex_unlock(&r->mutex);
    return count;
}

uint64_t crv_bytes_read(crv_recorder *r) {
    pthread_mutex_lock(&r->mutex);
    uint64_t count = r->bytes_read;
    pthread_mutex_unlock(&r->mutex);
    return count;
}

void crv_fail(crv_recorder *r, unsigned kinds, uint64_t nth, int code, bool all_from_there) {
    pthread_mutex_lock(&r->mutex);
    r->failing_kinds = kinds;
    r->failing_nth = nth;
    r->failing_code = code;
    r->failing_on = all_from_there;
    r->failing_calls = 0;
    pthread_mutex_unlock(&r->mutex);
}

uint64_t crv_calls(crv_recorder *r) {
    pthread_mutex_lock(&r->mutex);
    uint64_t calls = r->failing_calls;
    pthread_mutex_unlock(&r->mutex);
    return calls;
}
