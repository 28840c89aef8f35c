import { MailFailed } from "../../domain/operations/mail-failed.ts";

type Letter = {
  to: string;
  subject: string;
  text: string;
  /** The same for every attempt, so that a mailbox can recognize a letter that came twice. */
  message_id?: string;
};
/** Sends letters through the operator's mail server; null without one in the settings. */
export type Mail = {
  /** Throws `MailFailed`. */
  send(letter: Letter): Promise<void>;
  /** Connects and signs in: one line for the operator. Throws what is wrong. */
  check(): Promise<string>;
} | null;

const TIMEOUT_MS = 15_000;

/** `dkim` signs each letter, so that receivers can tell it from a forged one. */
export function openMail({
  smtp_url,
  from,
  ca,
  dkim,
}: {
  smtp_url: string;
  from: string;
  ca?: string;
  dkim?: { domain: string; selector: string; key: string } | undefined;
}): Mail {
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
    ...(dkim && { dkim: { domainName: dkim.domain, keySelector: dkim.selector, privateKey: dkim.key } }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  // Loaded with the first letter: most commands send none.
  const transport = async () => (await import("nodemailer")).createTransport(options);
  return {
    async send({ message_id, ...letter }) {
      const headers = { "Auto-Submitted": "auto-generated" };
      const id = message_id === undefined ? {} : { messageId: `<${message_id}@${from.split("@")[1]}>` };
      await (await transport()).sendMail({ ...letter, ...id, from, headers, xMailer: false }).catch(rethrow);
    },
    async check() {
      await (await transport()).verify().catch(rethrow);
      return dkim === undefined
        ? "The mail server accepts the sign-in. Email is not signed (DKIM)."
        : `The mail server accepts the sign-in. Email is signed for ${dkim.domain} (DKIM).`;
    },
  };
}

type SmtpError = Error & { code?: string; response?: string; responseCode?: number; command?: string };

/** The reply's text can repeat the recipient's address, and the caller logs the message of the error. */
function rethrow(error: SmtpError): never {
  const { code = "EUNKNOWN", response, responseCode, command } = error;
  if (response === undefined) throw new MailFailed(error.message, code.toLowerCase(), false);
  // A server that refuses the sign-in, or the sender, refuses every letter: the operator mends it, and the letters go out.
  const final = responseCode !== undefined && responseCode >= 500 && FINAL_COMMANDS.has(command ?? "");
  const text = `the mail server answered ${responseCode ?? "no reply code"} to ${command}`;
  throw new MailFailed(text, responseCode === undefined ? "no_code" : `smtp_${responseCode}`, final);
}
const FINAL_COMMANDS = new Set(["RCPT TO", "DATA"]);
