/** A destination of the audit log's signed roots, from the setting AUDIT_ROOTS_TO. */
export type RootTarget = {
  /** Without the path and the query of a URL, which can hold a secret. */
  name: string;
} & (
  | { kind: "file"; path: string }
  | { kind: "webhook"; url: string }
  | { kind: "syslog"; transport: "udp" | "tcp" | "tls"; host: string; port: number }
);

const SYSLOG = { "syslog:": "udp", "syslog+tcp:": "tcp", "syslog+tls:": "tls" } as const;

/** Undefined if a part is not valid. */
export function rootTargets(setting: string): RootTarget[] | undefined {
  const parts = setting.split(",").map((part) => part.trim());
  const targets = parts.filter((part) => part !== "").map(targetOf);
  return targets.every((one) => one !== undefined) ? targets : undefined;
}

function targetOf(text: string): RootTarget | undefined {
  if (/^\/[^\p{Cc}]+$/u.test(text)) return { kind: "file", name: `file ${text}`, path: text };
  if (!/^[a-z+]+:\/\/[^\s@]+$/.test(text) || !URL.canParse(text)) return undefined;
  const { protocol, origin, hostname, host, port } = new URL(text);
  const bare = hostname.replace(/^\[|\]$/g, "");
  // Plain http stays on this machine.
  if (protocol === "https:" || (protocol === "http:" && /^(127(\.\d{1,3}){3}|localhost|::1)$/.test(bare)))
    return { kind: "webhook", name: `webhook ${origin}`, url: text };
  const transport = SYSLOG[protocol as keyof typeof SYSLOG];
  if (transport === undefined || bare === "" || port === "") return undefined;
  return { kind: "syslog", name: `${protocol}//${host}`, transport, host: bare, port: Number(port) };
}
