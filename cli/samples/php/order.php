<?php
// A prescription arrives in the sandbox, you order it, and the pharmacy delivers it.
declare(strict_types=1);

require __DIR__ . '/pharmacy.php';
$pharmacy = new Pharmacy(require __DIR__ . '/settings.php');
$simulate = fn (string $kind, array $simulation): array =>
    $pharmacy->post('/simulate', ['simulation_type' => $kind, 'simulation' => $simulation]);

// In production a prescriber sends it, and RX_RECEIVED tells you.
$prescription = $simulate('prescription', ['drug_name' => 'atorvastatin']);
$method = $pharmacy->get('/shipping_methods')['shipping_methods'][0];

$order = $pharmacy->post('/orders', [
    'reference' => "sample-{$prescription['prescription_id']}",
    'shipping' => ['method_id' => $method['id']],
    'patient' => ['patient_id' => $prescription['patient_id']],
    'items' => [['prescription_id' => $prescription['prescription_id']]],
]);
echo "ordered {$order['order_number']} {$order['order_status']}\n";

// Plays everything that the pharmacy and the carrier would do.
$moved = $simulate('order', ['order_number' => $order['order_number'], 'to' => 'Delivered']);
echo "now {$order['order_number']} {$moved['order_status']}\n";
