#!/bin/sh
# Every hour. Stores what changed since the last backup.
set -eu
pgbackrest --stanza=pestle --type=incr backup
