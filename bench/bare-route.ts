import type { AddressInfo } from "node:net";
import Fastify from "fastify";

/** What the web framework alone does on this machine: one route that sends a text it was given, and no hooks. */
process.on("message", async (body: string) => {
  const app = Fastify({ logger: false });
  app.get("/shipping_methods", (_request, reply) => {
    reply.header("content-type", "application/json; charset=utf-8").send(body);
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  process.send?.({ url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` });
});
