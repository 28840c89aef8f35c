import { createServer, type Socket } from "node:net";
import { TLSSocket } from "node:tls";

/** A reply; a function sees the line. `hang up` ends the connection without one. */
type Reply = string | ((line: string) => string);

/** A mail server on loopback: the commands and letters that it receives, and its answer to each. */
export async function openSmtpStandIn(answers: Record<string, Reply> = {}, tls?: { key: Buffer; cert: Buffer }) {
  const told: string[] = [];
  const letters: string[] = [];
  const sockets = new Set<Socket>();
  const talk = (socket: Socket, greeting = "220-mail.test\r\n220 ready\r\n") => {
    let heard = "";
    let writing = false;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.write(greeting);
    socket.on("data", (chunk) => {
      heard += chunk.toString();
      for (;;) {
        const end = heard.indexOf(writing ? "\r\n.\r\n" : "\r\n");
        if (end < 0) return;
        const line = heard.slice(0, end);
        heard = heard.slice(end + (writing ? 5 : 2));
        if (writing) letters.push(line);
        else told.push(line);
        const word = writing ? "letter" : line.split(/[ :]/)[0]!;
        writing = !writing && word === "DATA" && answers["DATA"] === undefined;
        const known: Record<string, string> = {
          EHLO: "250-mail.test\r\n250 SIZE 1000",
          DATA: "354 go on",
          AUTH: "235 ok",
          QUIT: "221 bye",
        };
        const hello = tls === undefined || socket instanceof TLSSocket ? known["EHLO"] : "250 STARTTLS";
        if (word === "STARTTLS" && tls !== undefined) {
          socket.removeAllListeners("data");
          // More than the client requested: nothing sent before TLS may count afterwards.
          socket.write("220 go ahead\r\n250 not from me\r\n", () =>
            talk(new TLSSocket(socket, { isServer: true, ...tls }), ""),
          );
          return;
        }
        const given = answers[word];
        const own = typeof given === "function" ? given(line) : given;
        if (own === "hang up") return void socket.destroy();
        socket.write(`${own ?? (word === "EHLO" ? hello : known[word]) ?? "250 ok"}\r\n`);
      }
    });
  };
  const server = createServer((socket) => talk(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `smtp://pharmacy:se%20same@127.0.0.1:${port}`,
    told,
    letters,
    /** Changes between two letters. */
    answers,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
