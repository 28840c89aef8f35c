import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** Creates a key and a self-signed certificate and returns the two paths. `ip` adds that address. */
export function selfSigned(folder: string, name: string, ip?: string): { key: string; cert: string } {
  const files = { key: join(folder, "key.pem"), cert: join(folder, "cert.pem") };
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const subject = ["-subj", `/CN=${name}`, ...(ip === undefined ? [] : ["-addext", `subjectAltName=IP:${ip}`])];
  const out = ["-keyout", files.key, "-out", files.cert];
  execFileSync("openssl", ["req", "-x509", ...kind, ...subject, ...out], { stdio: "ignore" });
  return files;
}
