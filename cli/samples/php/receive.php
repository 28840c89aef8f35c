<?php
// Receives webhooks and trusts none before it has verified it. Run it with `php -S 127.0.0.1:3000 receive.php`.
declare(strict_types=1);

require __DIR__ . '/verify.php';
$settings = require __DIR__ . '/settings.php';

// The signatures cover these bytes, so verify before you parse.
$body = file_get_contents('php://input');
$headers = array_change_key_case(getallheaders(), CASE_LOWER);
$good = Webhook\verify_standard($body, $headers, $settings['SIGNING_SECRET'])
    && Webhook\verify_service(
        $settings['WEBHOOK_URL'],
        $body,
        $headers,
        $settings['CLIENT_SECRET'],
        $settings['WEBHOOK_SECRET'],
    );
if (!$good) {
    error_log('refused');
    http_response_code(401);
    exit;
}
$event = json_decode($body, true, 512, JSON_THROW_ON_ERROR);
// Store the event here, under its event_id: the same event can come twice. Then answer.
http_response_code(204);
error_log(trim("verified {$event['event_type']} " . ($event['order_number'] ?? '') . ' ' . ($event['order_status'] ?? '')));
