// SPDX-License-Identifier: Apache-2.0
// The hook of Swift's runtime for the threads that run tasks; included only with the package trait Synchronization.
#pragma once

// The function that the runtime calls for each job of a task that may run on any thread, if it is set: see Hooks in
// https://github.com/swiftlang/swift/blob/main/include/swift/Runtime/Concurrency.h. Its second argument is the function
// that the runtime would call otherwise.
extern __attribute__((swiftcall)) void (*_Nullable swift_task_enqueueGlobal_hook)(
    void *_Nonnull job, void *_Nonnull original);

// Returns the address of the pointer to the function that runs the jobs. The pointer is a static variable of this inline
// function, because Swift emits no code for a static variable of a header.
static inline void (*_Nullable *_Nonnull cexecutor_enqueue(void))(void *_Nonnull job) {
    static void (*_Nullable enqueue)(void *_Nonnull job);
    return &enqueue;
}

static __attribute__((swiftcall)) void cexecutor_hook(void *_Nonnull job, void *_Nonnull original) {
    (void)original;
    (*cexecutor_enqueue())(job);
}

// Lets a function run the jobs of tasks. Call this once, before the first task.
static inline void cexecutor_install(void (*_Nonnull enqueue)(void *_Nonnull job)) {
    *cexecutor_enqueue() = enqueue;
    swift_task_enqueueGlobal_hook = cexecutor_hook;
}
