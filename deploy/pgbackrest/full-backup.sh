#!/bin/sh
# Once a week. The first run also creates the repository and checks that PostgreSQL archives its log there.
set -eu
pgbackrest --stanza=pestle stanza-create
pgbackrest --stanza=pestle check
pgbackrest --stanza=pestle --type=full backup
