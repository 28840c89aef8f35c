import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Verifies a webhook with the JDK alone (17 or later). Header names are lower case. */
public final class Webhook {
    private static final String SERVICE = "service"; // The pharmacy's name in its header names.
    private static final long TOLERANCE_S = 300;

    private Webhook() {}

    /** True if the pharmacy sent this to this URL for the endpoint with this secret. Pass the URL exactly as registered. */
    public static boolean verifyService(
            String url, byte[] body, Map<String, String> headers, String clientSecret, String webhookSecret)
            throws GeneralSecurityException {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(clientSecret.getBytes(UTF_8));
        byte[] key = HexFormat.of().formatHex(digest).getBytes(UTF_8);
        byte[] start = ("POST" + url).getBytes(UTF_8);
        byte[] all = Arrays.copyOf(start, start.length + body.length);
        System.arraycopy(body, 0, all, start.length, body.length);
        return same(sign(key, formEncode(all)), headers.get("x-" + SERVICE + "-signature"))
                && same(sign(key, webhookSecret.getBytes(UTF_8)), headers.get("x-" + SERVICE + "-secret"));
    }

    /** Checks the Standard Webhooks headers, which also prevent replays. */
    public static boolean verifyStandard(byte[] body, Map<String, String> headers, String signingSecret, long nowSeconds)
            throws GeneralSecurityException {
        String timestamp = headers.getOrDefault("webhook-timestamp", "");
        if (!timestamp.matches("[0-9]{1,15}") || Math.abs(nowSeconds - Long.parseLong(timestamp)) > TOLERANCE_S) {
            return false;
        }
        byte[] secret = Base64.getDecoder().decode(signingSecret.replaceFirst("^whsec_", ""));
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret, "HmacSHA256"));
        mac.update((headers.getOrDefault("webhook-id", "") + "." + timestamp + ".").getBytes(UTF_8));
        String expected = "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
        for (String signature : headers.getOrDefault("webhook-signature", "").split(" ")) {
            if (same(expected, signature)) return true;
        }
        return false;
    }

    private static String sign(byte[] key, byte[] text) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA1");
        mac.init(new SecretKeySpec(key, "HmacSHA1"));
        byte[] digest = mac.doFinal(text);
        // Append the newline to the digest before base64.
        byte[] ended = Arrays.copyOf(digest, digest.length + 1);
        ended[digest.length] = '\n';
        return Base64.getEncoder().encodeToString(ended);
    }

    /** Keeps A-Z a-z 0-9 _ . - ~ and encodes a space as + and every other byte as %XX. */
    private static byte[] formEncode(byte[] bytes) {
        String encoded = URLEncoder.encode(new String(bytes, ISO_8859_1), ISO_8859_1);
        return encoded.replace("*", "%2A").replace("%7E", "~").getBytes(ISO_8859_1);
    }

    private static boolean same(String expected, String received) {
        return received != null && MessageDigest.isEqual(expected.getBytes(UTF_8), received.getBytes(UTF_8));
    }
}
