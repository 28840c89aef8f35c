#!/bin/sh
# /usr/local/bin/pestle: runs a command of Pestle with the settings and the user of the service.
exec sudo -u pestle env -C /var/lib/pestle node --env-file=/etc/pestle/pestle.env /opt/pestle/server/bin/pestle.js "$@"
