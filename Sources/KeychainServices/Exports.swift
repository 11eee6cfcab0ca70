// SPDX-License-Identifier: Apache-2.0

// On Apple's platforms, Package.swift builds only this file of the target: the system's frameworks Security
// and LocalAuthentication replace the other files.
#if canImport(Darwin)
@_exported import Security

#if canImport(LocalAuthentication)
@_exported import LocalAuthentication
#endif
#endif
