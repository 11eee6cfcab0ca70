// SPDX-License-Identifier: Apache-2.0
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    unsigned char *bytes;
    size_t length, capacity;
    bool exists;
} image;

typedef struct {
    const log_entry *entry;
    enum { PENDING, LOST, CERTAIN } state; // lost: the sync that should have made it durable failed
} waiting_call;

typedef struct {
    image certain;
    waiting_call *calls; // made since the last sync, in order
    size_t count, capacity;
} file_state;

struct crv_replay {
    const crv_recorder *recorder;
    bool honouring_syncs;
    size_t next;
    uint64_t acknowledged;
    file_state files[MAXIMUM_FILES];
};

static void resize(image *image, size_t length) {
    if (length > image->capacity) {
        image->capacity = length + length / 2 + 4096;
        image->bytes = realloc(image->bytes, image->capacity);
        if (!image->bytes) abort();
    }
    if (length > image->length) memset(image->bytes + image->length, 0, length - image->length);
    image->length = length;
}

static void place(image *image, const log_entry *entry, size_t from, size_t to) {
    if (from >= to) return;
    if (entry->offset + to > image->length) resize(image, entry->offset + to);
    memcpy(image->bytes + entry->offset + from, entry->bytes + from, to - from);
}

static void apply(image *image, const log_entry *entry) {
    switch (entry->kind) {
    case ENTRY_CREATE: image->exists = true; break;
    case ENTRY_DELETE:
        image->exists = false;
        resize(image, 0);
        break;
    case ENTRY_WRITE: place(image, entry, 0, entry->length); break;
    case ENTRY_TRUNCATE: resize(image, entry->offset); break;
    default: break;
    }
}

// MARK: Replaying the recorded operations

crv_replay *crv_replay_begin(crv_recorder *recorder, bool honouring_syncs) {
    crv_replay *replay = calloc(1, sizeof *replay);
    if (!replay) abort();
    replay->recorder = recorder;
    replay->honouring_syncs = honouring_syncs;
    for (int i = 0; i < recorder->file_count; i++) {
        image *image = &replay->files[i].certain;
        image->exists = recorder->files[i].found;
        resize(image, recorder->files[i].length);
        if (image->length) memcpy(image->bytes, recorder->files[i].bytes, image->length);
    }
    return replay;
}

void crv_replay_end(crv_replay *replay) {
    for (int i = 0; i < MAXIMUM_FILES; i++) {
        free(replay->files[i].certain.bytes);
        free(replay->files[i].calls);
    }
    free(replay);
}

static void push(file_state *file, const log_entry *entry) {
    if (file->count == file->capacity) {
        file->capacity = file->capacity ? 2 * file->capacity : 64;
        file->calls = realloc(file->calls, file->capacity * sizeof *file->calls);
        if (!file->calls) abort();
    }
    file->calls[file->count++] = (waiting_call){.entry = entry};
}

static void synchronize(file_state *file) {
    size_t left = 0;
    for (size_t i = 0; i < file->count; i++) {
        waiting_call *call = &file->calls[i];
        if (call->state == PENDING) call->state = CERTAIN;
        // After a lost call, all later calls stay in the list, because they must not be applied before it.
        if (left || call->state == LOST)
            file->calls[left++] = *call;
        else
            apply(&file->certain, call->entry);
    }
    file->count = left;
}

/// Makes the creation or deletion of a file durable, but not its contents.
static void synchronize_names(file_state *file) {
    size_t left = 0;
    for (size_t i = 0; i < file->count; i++) {
        const log_entry *entry = file->calls[i].entry;
        if (entry->kind == ENTRY_DELETE) left = 0; // earlier writes are deleted with the file
        if (entry->kind == ENTRY_DELETE || entry->kind == ENTRY_CREATE)
            apply(&file->certain, entry);
        else
            file->calls[left++] = file->calls[i];
    }
    file->count = left;
}

static void synchronize_all_names(crv_replay *replay) {
    for (int i = 0; i < MAXIMUM_FILES; i++) synchronize_names(&replay->files[i]);
}

bool crv_replay_advance(crv_replay *replay) {
    if (replay->next == replay->recorder->count) return false;
    const log_entry *entry = &replay->recorder->entries[replay->next++];
    file_state *file = &replay->files[entry->file];
    switch (entry->kind) {
    case ENTRY_MARK: replay->acknowledged = entry->offset; break;
    case ENTRY_SYNC:
        if (!replay->honouring_syncs) break;
        synchronize(file);
        if (entry->directory) synchronize_all_names(replay);
        break;
    case ENTRY_FAILED_SYNC:
        for (size_t i = 0; i < file->count; i++)
            if (file->calls[i].state == PENDING) file->calls[i].state = LOST;
        break;
    case ENTRY_DELETE:
        push(file, entry);
        if (entry->directory && replay->honouring_syncs) synchronize_all_names(replay);
        break;
    default: push(file, entry);
    }
    return true;
}

uint64_t crv_replay_acknowledged(const crv_replay *replay) { return replay->acknowledged; }

size_t crv_replay_uncertain(const crv_replay *replay) {
    size_t count = 0;
    for (int i = 0; i < MAXIMUM_FILES; i++)
        for (size_t c = 0; c < replay->files[i].count; c++) count += replay->files[i].calls[c].state != CERTAIN;
    return count;
}

// MARK: The disk after a power loss

static uint64_t draw(uint64_t *state) { // splitmix64
    uint64_t z = (*state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/// Applies a torn write: its first sectors only, or a random subset of its sectors.
static void tear(image *image, const log_entry *entry, uint64_t *random) {
    bool scattered = draw(random) & 1;
    uint64_t first = entry->offset / SECTOR, last = (entry->offset + entry->length - 1) / SECTOR;
    uint64_t cut = first + draw(random) % (last - first + 1);
    for (uint64_t sector = first; sector <= last; sector++) {
        if (scattered ? draw(random) & 1 : sector >= cut) continue;
        uint64_t from = sector * SECTOR, to = from + SECTOR, end = entry->offset + entry->length;
        if (from < entry->offset) from = entry->offset;
        if (to > end) to = end;
        place(image, entry, from - entry->offset, to - entry->offset);
    }
}

static void settle(image *image, const file_state *file, crv_fate fate, uint64_t *random) {
    image->exists = file->certain.exists;
    resize(image, file->certain.length);
    if (image->length) memcpy(image->bytes, file->certain.bytes, image->length);
    for (size_t i = 0; i < file->count; i++) {
        const log_entry *entry = file->calls[i].entry;
        bool kept = file->calls[i].state == CERTAIN || fate == CRV_KEPT;
        uint64_t choice = kept || fate == CRV_DROPPED ? 0 : draw(random) % 3;
        if (kept || choice == 1)
            apply(image, entry);
        else if (choice == 2 && entry->kind == ENTRY_WRITE && entry->length)
            tear(image, entry, random);
    }
}

static int write_file(const char *directory, const char *name, const image *image) {
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path) return ENAMETOOLONG;
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0) return errno;
    size_t done = 0;
    while (done < image->length) {
        ssize_t written = write(descriptor, image->bytes + done, image->length - done);
        if (written < 0) {
            int error = errno;
            close(descriptor);
            return error;
        }
        done += (size_t)written;
    }
    return close(descriptor) ? errno : 0;
}

int crv_replay_write(const crv_replay *replay, const char *directory, crv_fate fate, uint64_t seed) {
    image image = {0};
    int error = 0;
    for (int i = 0; i < replay->recorder->file_count && !error; i++) {
        settle(&image, &replay->files[i], fate, &seed);
        if (image.exists) error = write_file(directory, replay->recorder->files[i].name, &image);
    }
    free(image.bytes);
    return error;
}
