import type { PortalIndex, PortalReferenceToken, SessionAnswer } from "@pestle/contract";

const PASTE = "Or choose “Authorize” and paste an access token.";
/** A token is not used in its last seconds, so that it does not expire on its way. */
const MARGIN_MS = 20_000;

export type SandboxSession = {
  /** Shows whether a person is signed in at the portal, and what “Try it out” does. */
  look(): Promise<void>;
  /** The header with a token of the person's sandbox; empty if no one is signed in or a token was pasted. */
  authorization(sent: Record<string, string>): Promise<Record<string, string>>;
  /** Forgets a token that the API rejected. The next request gets a new one. */
  drop(): void;
};

type Words = (string | { text: string; href: string })[];

/**
 * Sends requests with the sandbox of the person who is signed in at the portal. The token stays in this page's memory: the
 * browser stores it nowhere.
 */
export function sandboxSession(place: HTMLElement): SandboxSession {
  let csrf_token: string | undefined;
  let token: PortalReferenceToken | undefined;

  const say = (...words: Words) => {
    place.replaceChildren(...words.map((word) => (typeof word === "string" ? word : link(word))));
    place.hidden = false;
  };
  const signIn = () => {
    csrf_token = undefined;
    say({ text: "Sign in to the portal", href: "/portal" }, ` to try it with your sandbox. ${PASTE}`);
  };

  const look = async () => {
    const { session } = await read<SessionAnswer>("/web/session");
    if (session?.complete !== true) return signIn();
    if (session.partner_name === null) return say(`You are signed in as pharmacy staff, who have no sandbox. ${PASTE}`);
    if (session.role === "partner_viewer") return say(`Your role can only read. ${PASTE}`);
    const { accounts } = await read<PortalIndex>("/web/portal");
    if (!accounts.some(({ environment }) => environment === "sandbox")) {
      return say(`${session.partner_name} has no sandbox. ${PASTE}`);
    }
    csrf_token = session.csrf_token;
    say(
      `Signed in as ${session.name}. “Try it out” sends requests to the sandbox of ${session.partner_name}, with a token that this page gets by itself.`,
    );
  };

  const issued = async (): Promise<PortalReferenceToken | undefined> => {
    const response = await fetch("/web/portal/sandbox/sandbox/token", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json", "x-csrf-token": csrf_token! },
      body: "{}",
    });
    if (response.status === 401 || response.status === 404) {
      // The session ended, or another one began in another tab.
      csrf_token = undefined;
      await quietly(look);
    } else if (response.status === 429) {
      say(`You got many tokens in a short time. Wait a few minutes. ${PASTE}`);
    } else if (!response.ok) {
      say(`${await messageOf(response)} ${PASTE}`);
    } else {
      return (await response.json()) as PortalReferenceToken;
    }
    return undefined;
  };

  // A person who signs in at the portal in another tab comes back to this one.
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible" && csrf_token === undefined && !place.hidden) void quietly(look);
  });

  return {
    look: () => quietly(look),
    async authorization(sent) {
      if (csrf_token === undefined || Object.keys(sent).some((name) => name.toLowerCase() === "authorization"))
        return {};
      if (token === undefined || Date.parse(token.expires_at) - Date.now() < MARGIN_MS) token = await issued();
      return token === undefined ? {} : { authorization: `Bearer ${token.access_token}` };
    },
    drop() {
      token = undefined;
    },
  };
}

/** The reference works without the portal, so a failed look says nothing. */
const quietly = (look: () => Promise<void>): Promise<void> => look().catch(() => undefined);

async function read<Answer>(path: string): Promise<Answer> {
  const response = await fetch(path, { headers: { accept: "application/json" } });
  if (!response.ok) throw new Error(`${path}: HTTP ${response.status}`);
  return (await response.json()) as Answer;
}

async function messageOf(response: Response): Promise<string> {
  const body = (await response.json().catch(() => undefined)) as { error?: { message?: string } } | undefined;
  return body?.error?.message ?? "The portal gave no token.";
}

function link({ text, href }: { text: string; href: string }): HTMLAnchorElement {
  const anchor = document.createElement("a");
  anchor.href = href;
  anchor.target = "_blank";
  anchor.rel = "noopener";
  anchor.textContent = text;
  return anchor;
}
