#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs PROGRAM with keychain-secret-service on a D-Bus session bus of its own:
# secret-service.sh SERVICE PROGRAM DIRECTORY ITEMS
set -eu
service=$1 program=$2 directory=$3 items=$4
mkdir -p "$directory/runtime"
chmod 700 "$directory" "$directory/runtime"
export XDG_RUNTIME_DIR="$directory/runtime" HOME="$directory" KEYCHAIN_HOME="$directory/store" KEYCHAIN_BACKEND=embedded
exec dbus-run-session -- sh -c '
    "$0" --shared --no-portal >"$3/log" &
    until grep -q ": ready" "$3/log"; do sleep 0.05; done
    "$1" "$2" store
    kill $!
' "$service" "$program" "$items" "$directory"
