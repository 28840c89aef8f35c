import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public final class Journey {
    public static void main(String[] args) throws Exception {
        Map<String, String> env = System.getenv();
        Pestle pestle = new Pestle(
                env.get("CLIENT_ID"), env.get("CLIENT_SECRET"), env.get("BASE_URL"), env.get("AUTH_URL"));
        Map<String, Object> rx = pestle.simulate(
                Map.of("simulation_type", "prescription", "simulation", Map.of("drug_name", "atorvastatin")), null);
        Map<String, Object> order = pestle.createOrder(
                Map.of(
                        "reference", env.get("REFERENCE"),
                        "shipping", Map.of("method_id", 1),
                        "patient", Map.of("patient_id", rx.get("patient_id")),
                        "items", List.of(Map.of("prescription_id", rx.get("prescription_id")))),
                null);
        System.out.println("status " + pestle.getOrder((String) order.get("order_number")).get("order_status"));
        int[] count = {0};
        pestle.listWebhookEvents(Map.of("limit", 1), event -> count[0] += event.get("event_id") != null ? 1 : 0);
        System.out.println("pages " + (count[0] > 1));
        List<?> products = pestle.listProducts(Map.of("sku[]", List.of("atorvastatin-20")));
        System.out.println("products " + ((Map<?, ?>) products.get(0)).get("sku"));
        try {
            pestle.createOrder(Map.of("reference", "x"), null);
        } catch (Pestle.PestleException error) {
            System.out.println("refused " + error.status + " " + (error.codes().get(0) > 42000));
        }
        Map<String, String> headers = new HashMap<>();
        ((Map<?, ?>) Json.read(env.get("HEADERS"))).forEach((name, value) -> headers.put((String) name, (String) value));
        byte[] body = Files.readAllBytes(Path.of(env.get("BODY_FILE")));
        byte[] forged = Arrays.copyOf(body, body.length + 1);
        String whsec = env.get("SIGNING_SECRET");
        long now = System.currentTimeMillis() / 1000;
        System.out.println("verified " + Json.write(List.of(
                Webhook.verifyService(
                        env.get("URL"), body, headers, env.get("CLIENT_SECRET"), env.get("WEBHOOK_SECRET")),
                Webhook.verifyStandard(body, headers, whsec, now),
                Webhook.verifyStandard(forged, headers, whsec, now))));
    }
}
