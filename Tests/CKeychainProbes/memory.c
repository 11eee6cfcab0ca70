// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CProbes.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const size_t chunk = 1 << 20;

static int hits(const uint8_t *buffer, size_t length, const uint8_t *inverted, size_t count) {
    if (length < count) return 0;
    // Searches for the first byte of the string that is not zero, because most bytes of memory are zero.
    // memchr is fast even without optimization.
    size_t rare = 0;
    while (rare + 1 < count && inverted[rare] == 0xFF) rare++;
    int found = 0;
    const uint8_t *next = buffer + rare, *end = buffer + length - count + rare + 1;
    while (next < end && (next = memchr(next, (uint8_t)~inverted[rare], (size_t)(end - next))) != NULL) {
        const uint8_t *start = next - rare;
        size_t same = 0;
        while (same < count && (uint8_t)~start[same] == inverted[same]) same++;
        if (same == count) found++;
        next++;
    }
    return found;
}

/// Returns a mapping of `chunk` bytes between guard pages, which keep the kernel from merging it with another
/// mapping.
static uint8_t *buffer_apart(size_t page) {
    uint8_t *all = mmap(NULL, chunk + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return NULL;
    return mprotect(all + page, chunk, PROT_READ | PROT_WRITE) == 0 ? all + page : NULL;
}

/// The parameters and buffers of a search.
struct search {
    int memory, pages;
    size_t page;
    uint8_t *buffer;
    const uint8_t *inverted;
    size_t count, needles;
    int *found;
};

/// Returns whether none of the pages is in memory or swap, according to /proc/self/pagemap: they have no contents.
static int is_untouched(struct search search, unsigned long place, size_t length) {
    uint64_t entries[chunk / 4096 + 1];
    size_t first = place / search.page, count = (place + length - 1) / search.page - first + 1;
    if (count > sizeof entries / sizeof *entries) return 0;
    if (pread(search.pages, entries, count * sizeof *entries, (off_t)(first * sizeof *entries))
        != (ssize_t)(count * sizeof *entries)) return 0;
    // Bit 63 means that the page is in memory, bit 62 that it is in swap.
    for (size_t i = 0; i < count; i++) if (entries[i] >> 62 != 0) return 0;
    return 1;
}

static void count_between(struct search search, unsigned long start, unsigned long end) {
    for (unsigned long place = start; place < end;) {
        size_t wanted = end - place < chunk ? end - place : chunk;
        if (is_untouched(search, place, wanted)) {
            place += wanted;
            continue;
        }
        ssize_t got = pread(search.memory, search.buffer, wanted, (off_t)place);
        if (got <= 0) {
            // Another thread has unmapped this page during the search; continues with the next page.
            place = (place / search.page + 1) * search.page;
            continue;
        }
        for (size_t i = 0; i < search.needles; i++)
            search.found[i] += hits(search.buffer, (size_t)got, search.inverted + i * search.count, search.count);
        // Chunks overlap by one byte less than a string, so that matches across a boundary are found.
        int is_last = (size_t)got <= search.count || place + (size_t)got >= end;
        place += is_last ? (size_t)got : (size_t)got - search.count + 1;
    }
}

static int count_alone(const uint8_t *inverted, size_t count, size_t needles, int *found) {
    struct search search = {
        .page = (size_t)sysconf(_SC_PAGESIZE), .inverted = inverted, .count = count, .needles = needles, .found = found,
    };
    for (size_t i = 0; i < needles; i++) found[i] = 0;
    // The buffer is in a separate mapping, which the search skips, so that the bytes read are not found again.
    search.buffer = buffer_apart(search.page);
    FILE *maps = fopen("/proc/self/maps", "r");
    search.memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    search.pages = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (search.buffer == NULL || maps == NULL || search.memory < 0) return -1;
    char line[512], mode[8];
    unsigned long start, end, joined_start = 0, joined_end = 0;
    while (fgets(line, sizeof line, maps) != NULL) {
        if (sscanf(line, "%lx-%lx %7s", &start, &end, mode) != 3 || mode[1] != 'w') continue;
        if (start == (uintptr_t)search.buffer) continue;
        // A locked page is a separate mapping within the heap; adjacent mappings are searched as one.
        if (start != joined_end) {
            count_between(search, joined_start, joined_end);
            joined_start = start;
        }
        joined_end = end;
    }
    count_between(search, joined_start, joined_end);
    for (size_t i = 0; i < chunk; i++) ((volatile uint8_t *)search.buffer)[i] = 0;
    munmap(search.buffer - search.page, chunk + 2 * search.page);
    fclose(maps);
    close(search.memory);
    if (search.pages >= 0) close(search.pages);
    return 0;
}

int count_in_memory(const uint8_t *inverted, size_t count, size_t needles, int *found) {
    // Only one search at a time, because one search would find the buffer of another.
    static pthread_mutex_t searching = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&searching);
    int result = count_alone(inverted, count, needles, found);
    pthread_mutex_unlock(&searching);
    return result;
}
