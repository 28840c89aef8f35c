import { get as getPlain } from "node:http";
import { get as getSecure } from "node:https";
import { createServer } from "node:net";
import { type Config, ownAddress } from "../../config.ts";
import type { Finding } from "./check-up.ts";

const ANSWER_LIMIT_MS = 10_000;

/** Each port must be free for the next start or already served by this service. */
export async function checkPorts(config: Config): Promise<Finding[]> {
  const listeners = [
    ["PORT", "/readyz"],
    ["AUTH_PORT", "/healthz"],
    ["SANDBOX_AUTH_PORT", "/healthz"],
  ] as const;
  return Promise.all(
    listeners.map(async ([setting, path]): Promise<Finding> => {
      const what = setting;
      const port = config[setting];
      if (port === 0) return { what, state: "ok", says: "any free port" };
      const status = await askOurs(config, port, path);
      if (status === 200) return { what, state: "ok", says: `the service answers on ${port}` };
      if (status !== undefined)
        return { what, state: "warning", says: `the service answers on ${port} but is not ready` };
      const trouble = await tryToListen(config.HOST, port);
      if (trouble === undefined) return { what, state: "ok", says: `${port} is free` };
      if (trouble === "EADDRINUSE") {
        return { what, state: "failed", says: `${port} is in use by another program: stop it, or set ${setting}` };
      }
      return {
        what,
        state: "failed",
        says: `${config.HOST}:${port} cannot be opened (${trouble}): set HOST or ${setting}`,
      };
    }),
  );
}

/** The status code if this service answers, which it proves by its request id header. */
function askOurs(config: Config, port: number, path: string): Promise<number | undefined> {
  const url = new URL(path, ownAddress(config, port));
  // The request uses an IP address, so the certificate's name cannot match. It sends nothing secret.
  const options = { agent: false, rejectUnauthorized: false, timeout: ANSWER_LIMIT_MS } as const;
  return new Promise((resolve) => {
    const request = (url.protocol === "https:" ? getSecure : getPlain)(url, options, (response) => {
      response.resume();
      resolve(response.headers["x-request-id"] === undefined ? undefined : response.statusCode);
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(undefined));
  });
}

/** The error code if the port cannot be opened. */
function tryToListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
