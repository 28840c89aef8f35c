type Letter = { to: string; subject: string; text: string };
/** Sends letters through the operator's mail server; null without one in the settings. */
export type Mail = { send(letter: Letter): Promise<void> } | null;

const TIMEOUT_MS = 15_000;

export function openMail({ smtp_url, from, ca }: { smtp_url: string; from: string; ca?: string }): Mail {
  if (smtp_url === "") return null;
  const { protocol, hostname, port, username, password } = new URL(smtp_url);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const secure = protocol === "smtps:";
  const [user, pass] = [username, password].map(decodeURIComponent) as [string, string];
  const options = {
    host,
    secure,
    name: "pestle",
    ...(port !== "" && { port: Number(port) }),
    // `forceAuth`: a server that does not announce AUTH must still see the password, or refuse it, before the letter.
    ...(user !== "" && { auth: { user, pass, method: "PLAIN" }, forceAuth: true }),
    // The password crosses the network encrypted only. Without one, STARTTLS is used where the server offers it.
    requireTLS: !secure && user !== "" && !/^(127\.|localhost$|::1$)/.test(host),
    ...(ca !== undefined && { tls: { ca } }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  return {
    async send(letter) {
      // Loaded with the first letter: most commands send none.
      const { createTransport } = await import("nodemailer");
      const headers = { "Auto-Submitted": "auto-generated" };
      await createTransport(options)
        .sendMail({ ...letter, from, headers, xMailer: false })
        .catch(rethrowWithoutReply);
    },
  };
}

/** The reply's text can repeat the recipient's address, and the caller logs the message of the error. */
function rethrowWithoutReply(error: Error & { response?: string; responseCode?: number; command?: string }): never {
  if (error.response === undefined) throw error;
  throw new Error(`the mail server answered ${error.responseCode ?? "no reply code"} to ${error.command}`);
}
