// SPDX-License-Identifier: Apache-2.0

// What the readme advises: every file of this target has the names of Security, whatever it imports.
#if os(Linux)
@_exported public import Security
#endif
