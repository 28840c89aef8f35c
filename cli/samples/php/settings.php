<?php
// Reads .env, which `samples create` wrote. It has secrets: do not commit it.
declare(strict_types=1);

return parse_ini_file(__DIR__ . '/.env', false, INI_SCANNER_RAW);
