import type { AddressInfo } from "node:net";
import Fastify from "fastify";

export type BareRoute = { method: "GET" | "POST"; path: string; status: number; body: string };

/** The web framework alone on this machine: routes that send a fixed text, without hooks. */
process.on("message", async (routes: BareRoute[]) => {
  const app = Fastify({ logger: false });
  for (const { method, path, status, body } of routes) {
    app.route({
      method,
      url: path,
      handler: (_request, reply) => {
        reply.code(status).header("content-type", "application/json; charset=utf-8").send(body);
      },
    });
  }
  await app.listen({ host: "127.0.0.1", port: 0 });
  process.send?.({ url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` });
});
