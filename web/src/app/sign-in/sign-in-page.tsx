import { useState } from "react";
import { Button } from "../../ui/controls/button.tsx";
import { Notice } from "../../ui/display/notice.tsx";
import mark from "../../ui/mark.svg";
import { chooseLanguage, languages, otherLanguages } from "../../ui/words/language.ts";
import { say } from "../../ui/words/say.tsx";
import { LinkForm, linkToken } from "./link-form.tsx";
import { readSession, type SessionState } from "./session.ts";
import styles from "./sign-in.module.css";
import { SignInForm } from "./sign-in.tsx";
import { SsoRefused } from "./single-sign-on.tsx";

/** For users without a session. The URL stays the same, so they land on the page they asked for. */
export function SignInPage({ state, name }: { state: SessionState; name: string }) {
  const [token, setToken] = useState(linkToken);
  return (
    <main className={styles["page"]}>
      <div className={styles["box"]}>
        <header className={styles["head"]}>
          <img src={mark} alt="" width="40" height="40" />
          <div>
            <h1>{token === null ? say("Sign in") : say("Choose a password")}</h1>
            <p className="quiet">{name}</p>
          </div>
        </header>
        {state.phase === "unreachable" && (
          <Notice
            tone="bad"
            title={say("Could not reach the server.")}
            actions={<Button onClick={() => void readSession()}>{say("Try again")}</Button>}
          />
        )}
        <SsoRefused />
        {state.phase === "out" &&
          (token === null ? (
            <SignInForm half={state.half} mail={state.mail} sso={state.sso} passkeys={state.passkeys} />
          ) : (
            <LinkForm token={token} onDone={() => setToken(null)} />
          ))}
        <footer className={styles["languages"]}>
          {otherLanguages.map((one) => (
            <Button key={one} small tone="quiet" icon="globe" lang={one} onClick={() => chooseLanguage(one)}>
              {languages[one]}
            </Button>
          ))}
        </footer>
      </div>
    </main>
  );
}
