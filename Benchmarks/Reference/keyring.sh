#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs PROGRAM with gnome-keyring on a D-Bus session bus of its own: keyring.sh PROGRAM DIRECTORY ITEMS
# The keyring is not encrypted, so that it needs no prompt; gnome-keyring keeps it in memory after it has read the file.
set -eu
program=$1 directory=$2 items=$3
mkdir -p "$directory/keyrings" "$directory/runtime"
chmod 700 "$directory" "$directory/keyrings" "$directory/runtime"
printf login >"$directory/keyrings/default"
awk -v items="$items" 'BEGIN {
    print "[keyring]\ndisplay-name=login\nctime=0\nmtime=0\nlock-on-idle=false\nlock-after=false"
    for (item = 0; item < items; item++) {
        printf "\n[%d]\nitem-type=0\ndisplay-name=Bench item %07d\nsecret=%08d canary of item %08d\nmtime=0\nctime=0\n", \
            item + 1, item, 0, item
        printf "\n[%d:attribute0]\nname=account\ntype=string\nvalue=user%07d@example.org\n", item + 1, item
        printf "\n[%d:attribute1]\nname=service\ntype=string\nvalue=com.example.service%07d\n", item + 1, item / 10
        printf "\n[%d:attribute2]\nname=xdg:schema\ntype=string\nvalue=org.example.benchmark\n", item + 1
    }
}' >"$directory/keyrings/login.keyring"
export XDG_DATA_HOME="$directory" XDG_RUNTIME_DIR="$directory/runtime" HOME="$directory"
exec dbus-run-session -- sh -c \
    'gnome-keyring-daemon --start --components=secrets >/dev/null 2>&1; exec "$0" "$1"' "$program" "$items"
