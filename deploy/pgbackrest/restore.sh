#!/bin/sh
# restore.sh "2026-11-18 15:04:05.123+00" /var/lib/postgresql/15/restored
# Restores the database as it was at that moment into an empty folder, on this or another machine.
set -eu
moment=$1
folder=$2
pgbackrest --stanza=pestle verify
pgbackrest --stanza=pestle --pg1-path="$folder" --type=time --target="$moment" --target-action=promote restore
