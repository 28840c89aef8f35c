<?php
declare(strict_types=1);

require __DIR__ . '/Pestle.php';
require __DIR__ . '/verify.php';

$env = getenv();
$pestle = new Pestle\Pestle($env['CLIENT_ID'], $env['CLIENT_SECRET'], $env['BASE_URL'], $env['AUTH_URL']);
$rx = $pestle->simulate(['simulation_type' => 'prescription', 'simulation' => ['drug_name' => 'atorvastatin']]);
$order = $pestle->createOrder([
    'reference' => $env['REFERENCE'],
    'shipping' => ['method_id' => 1],
    'patient' => ['patient_id' => $rx['patient_id']],
    'items' => [['prescription_id' => $rx['prescription_id']]],
]);
echo 'status ', $pestle->getOrder($order['order_number'])['order_status'], "\n";
$count = 0;
foreach ($pestle->listWebhookEvents(['limit' => 1]) as $event) {
    $count += isset($event['event_id']) ? 1 : 0;
}
echo 'pages ', $count > 1 ? 'true' : 'false', "\n";
echo 'products ', $pestle->listProducts(['sku[]' => ['atorvastatin-20']])[0]['sku'], "\n";
try {
    $pestle->createOrder(['reference' => 'x']);
} catch (Pestle\PestleError $error) {
    echo 'refused ', $error->status, ' ', $error->codes()[0] > 42000 ? 'true' : 'false', "\n";
}
$headers = json_decode($env['HEADERS'], true);
$body = file_get_contents($env['BODY_FILE']);
$service = Webhook\verify_service($env['URL'], $body, $headers, $env['CLIENT_SECRET'], $env['WEBHOOK_SECRET']);
$standard = Webhook\verify_standard($body, $headers, $env['SIGNING_SECRET']);
$forged = Webhook\verify_standard($body . ' ', $headers, $env['SIGNING_SECRET']);
echo 'verified ', json_encode([$service, $standard, $forged]), "\n";
