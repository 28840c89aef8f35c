// Reads one request per line and prints whether each of the two verifiers accepts it, for example "true false".
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { verifyService, verifyStandard } = await import(pathToFileURL(process.argv[2]).href);
for await (const line of createInterface({ input: process.stdin })) {
  const fields = line.split("\t").map((field) => Buffer.from(field, "base64"));
  const [url, , client_secret, webhook_secret, signing_secret, now, ...values] = fields.map(String);
  const names = ["x-service-signature", "x-service-secret", "webhook-id", "webhook-timestamp", "webhook-signature"];
  const headers = Object.fromEntries(names.map((name, index) => [name, values[index]]));
  console.log(
    verifyService(url, fields[1], headers, client_secret, webhook_secret),
    verifyStandard(fields[1], headers, signing_secret, Number(now)),
  );
}
