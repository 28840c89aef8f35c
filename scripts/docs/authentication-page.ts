import {
  bearerErrors,
  clientProblems,
  formProblems,
  LONGEST_ASSERTION_S,
  oauthErrors,
  scopes,
  TOKEN_LIFETIME_S,
} from "@pestle/contract";
import { code, fence, generated, page, table } from "./markdown.ts";

export function authenticationPage() {
  return page(
    generated("`contract/src/endpoints/oauth.ts`"),
    "# Authentication: from a client id to a call\n",
    "You will get an access token, call the API with it, and know what each refusal means. The [SDK](../../sdk/README.md) and `pestle token` do all of this for you.\n",
    "## 1. Get a token\n",
    "Your credential is a client id and a client secret, from the portal or from the pharmacy. The portal shows the secret once. The sandbox and production have different credentials and different token servers:\n",
    table(
      ["environment", "token server of the demo", "what happens there"],
      [
        ["sandbox", "`http://127.0.0.1:8082`", "nothing ships to real people"],
        ["production", "`http://127.0.0.1:8081`", "orders are real"],
      ],
    ),
    "Here is the demo's first partner, which is in the sandbox:\n",
    fence(
      "sh",
      `CLIENT_ID=$(jq -r '.partners[0].client_id' .data/demo.json)
CLIENT_SECRET=$(jq -r '.partners[0].client_secret' .data/demo.json)
TOKEN=$(curl -s --user "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials -d scope=partners \\
  http://127.0.0.1:8082/oauth/token | jq -r .access_token)`,
    ),
    "You can also send `client_id` and `client_secret` in the form instead of with HTTP Basic authentication, but not in both places. A credential can require a signed JWT instead of its secret: see [How a partner's program signs in](security.md#how-a-partners-program-signs-in).\n",
    "## 2. Call the API\n",
    "Every call carries the token and accepts JSON:\n",
    fence(
      "sh",
      `curl -s -H "Authorization: Bearer $TOKEN" -H "Accept: application/json" http://127.0.0.1:8080/v1/brands | jq '.brands | length'`,
    ),
    fence("text", "2"),
    `A token works for \`expires_in\` seconds, ${TOKEN_LIFETIME_S} by default. Keep it and use it for all calls. Request the next one a minute before it ends, or when a call answers 401. Count \`expires_in\` on your own clock from the moment before the request: then it does not matter if your clock and the server's differ. Only the \`exp\` of a signed JWT needs a correct clock, at most ${LONGEST_ASSERTION_S} seconds ahead.\n`,
    "## 3. Request scopes\n",
    table(
      ["scope", "opens"],
      Object.entries(scopes).map(([name, meaning]) => [code(name), meaning]),
    ),
    "A credential with scopes must request some of them. A credential without scopes must not send `scope`; its tokens serve other APIs behind the same token server.\n",
    "## 4. Rotate the secret\n",
    "A credential can have two secrets at the same time. Create the second one in the portal or with `pestle credential rotate`, give it to your programs, [switch your webhook endpoints](webhooks.md#when-you-rotate-your-client-secret), and end the first one. Revoked tokens, secrets and credentials stop working within a second.\n",
    "## If the token server refuses\n",
    table(
      ["`error`", "status", "usual `error_description`"],
      Object.entries(oauthErrors).map(([name, [status, text]]) => [code(name), status, text]),
    ),
    "If the cause is known, `error_description` names it alone:\n",
    ...[...Object.values(formProblems), ...Object.values(clientProblems)].map((text) => `- ${text}`),
    "\n## If the API refuses the token\n",
    table(
      ["`error`", "status", "`error_description`"],
      Object.entries(bearerErrors).map(([name, [status, text]]) => [code(name), status, text]),
    ),
    "The API answers 401 in all these cases. It answers 404 to a token that asks for a record of another account or environment.\n",
  );
}
