<?php
function is_genuine(string $rawBody, string $signature, string $previous, string $secret): bool {
    $expected = 'sha256=' . hash_hmac('sha256', $rawBody, $secret);
    return hash_equals($expected, $signature) || hash_equals($expected, $previous);
}

$rawBody = file_get_contents('php://input');
$signature = $_SERVER['HTTP_X_WEBHOOK_SIGNATURE'] ?? '';
$previous = $_SERVER['HTTP_X_WEBHOOK_SIGNATURE_PREVIOUS'] ?? '';
