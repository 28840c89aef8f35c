import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A small key service with the Transit API: real sockets, a key that never leaves it, versions that rotate. */
export async function openKeyService(token: string) {
  const versions = [randomBytes(32)];
  const asked: string[] = [];
  let mode: "fine" | "refuses" | "silent" | "babbles" = "fine";
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      asked.push(request.url ?? "");
      if (mode === "silent") return;
      if (mode === "babbles") return void response.end("<html>");
      if (mode === "refuses" || request.headers["x-vault-token"] !== token)
        return void response.writeHead(403).end("{}");
      const [, verb] = /^\/v1\/transit\/(encrypt|decrypt)\/pestle$/.exec(request.url ?? "") ?? [];
      const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Record<string, string>;
      const aad = Buffer.from(body["associated_data"] ?? "", "base64");
      try {
        if (verb === "encrypt") {
          const nonce = randomBytes(12);
          const cipher = createCipheriv("aes-256-gcm", versions.at(-1)!, nonce).setAAD(aad);
          const sealed = Buffer.concat([
            nonce,
            cipher.update(Buffer.from(body["plaintext"]!, "base64")),
            cipher.final(),
            cipher.getAuthTag(),
          ]);
          response.end(
            JSON.stringify({ data: { ciphertext: `vault:v${versions.length}:${sealed.toString("base64")}` } }),
          );
        } else {
          const [, version, text] = /^vault:v(\d+):(.*)$/.exec(body["ciphertext"]!)!;
          const sealed = Buffer.from(text!, "base64");
          const decipher = createDecipheriv("aes-256-gcm", versions[Number(version) - 1]!, sealed.subarray(0, 12));
          decipher.setAAD(aad).setAuthTag(sealed.subarray(-16));
          const plain = Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
          response.end(JSON.stringify({ data: { plaintext: plain.toString("base64") } }));
        }
      } catch {
        response.writeHead(400).end('{"errors":["cipher: message authentication failed"]}');
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/transit`,
    asked,
    become(next: typeof mode) {
      mode = next;
    },
    rotate: () => void versions.push(randomBytes(32)),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
