// SPDX-License-Identifier: Apache-2.0

// On Apple's platforms, Package.swift builds only this file of the target, because the system's Security framework
// replaces the others.
#if canImport(Darwin)
@_exported import Security

#if canImport(LocalAuthentication)
@_exported import LocalAuthentication
#endif
#endif
