import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;

/** Reads a request a line and says for each whether both verifiers take it: "true false" and the like. */
public final class Try {
    public static void main(String[] args) throws Exception {
        String[] names = {"x-service-signature", "x-service-secret", "webhook-id", "webhook-timestamp", "webhook-signature"};
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] encoded = line.split("\t", -1);
            String[] fields = new String[encoded.length];
            for (int i = 0; i < encoded.length; i++) fields[i] = new String(Base64.getDecoder().decode(encoded[i]), UTF_8);
            byte[] body = Base64.getDecoder().decode(encoded[1]);
            Map<String, String> headers = new HashMap<>();
            for (int i = 0; i < names.length; i++) headers.put(names[i], fields[6 + i]);
            System.out.println(Webhook.verifyService(fields[0], body, headers, fields[2], fields[3]) + " "
                    + Webhook.verifyStandard(body, headers, fields[4], Long.parseLong(fields[5])));
        }
    }
}
