import type { SignInAnswer, SsoOffer } from "@pestle/contract";
import { type FormEvent, useState } from "react";
import { Button } from "../../ui/controls/button.tsx";
import { TextField } from "../../ui/controls/field.tsx";
import { say } from "../../ui/words/say.tsx";
import { deviceName } from "../account/device-name.ts";
import { Problem } from "../problem.tsx";
import { endSession } from "./end-session.ts";
import { ForgottenForm } from "./forgotten.tsx";
import { NewPasswordField } from "./new-password-field.tsx";
import { canUsePasskeys, createPasskey, givePasskey } from "./passkey.ts";
import { post } from "./post.ts";
import { CODE_PATTERN, codeHint, countDown, RecoveryCodes } from "./recovery-codes.tsx";
import { SecondFactorSetUp } from "./second-factor.tsx";
import { csrfToken, halfSignedIn, type Session, serverSession, signedIn } from "./session.ts";
import styles from "./sign-in.module.css";
import { SingleSignOn } from "./single-sign-on.tsx";

type Step = "password" | "code" | "set_up" | "new_password";

/** Email and password, then the second-factor code or its setup, then a new password in place of an issued one. */
export function SignInForm({
  email: known,
  half,
  mail = false,
  sso = null,
  passkeys = null,
}: {
  email?: string;
  half: Session | null;
  mail?: boolean;
  sso?: SsoOffer | null;
  /** The host name of the service's passkeys. */
  passkeys?: string | null;
}) {
  const [given, setGiven] = useState({ email: known ?? "", password: "", code: "", new_password: "" });
  const [forgotten, setForgotten] = useState(false);
  const [half_session, setHalf] = useState(half);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  // The user sees the new recovery codes before the page that they asked for.
  const [made, setMade] = useState<{ codes: readonly string[]; answer: SignInAnswer } | null>(null);
  const { needs = null } = half_session ?? {};
  const step: Step = needs === null ? "password" : needs === "password" ? "new_password" : needs;
  // After a reload the page no longer knows the password that the user typed.
  const [typed_before] = useState(() => half === null);

  function submit(event: FormEvent) {
    event.preventDefault();
    void run(send);
  }

  async function run(ask: () => Promise<SignInAnswer>) {
    if (busy) return;
    setBusy(true);
    setError(null);
    try {
      const answer = await ask();
      if (step === "code") countDown(given.code, answer.recovery_codes_left);
      if (answer.recovery_codes === undefined) proceed(answer);
      else setMade({ codes: answer.recovery_codes, answer });
    } catch (caught) {
      setError(caught);
      // Another tab may have signed in or out. Go back to the password step if there is no pending sign-in.
      if (step !== "password") applySession((await serverSession().catch(() => null))?.session ?? null);
    }
    setBusy(false);
  }

  const usePasskey = () =>
    void run(() =>
      step === "code" ? givePasskey("second_factor", half_session!.csrf_token) : givePasskey("sign_in", csrfToken()),
    );
  const setUpPasskey = () =>
    void run(async () => {
      const { csrf_token } = half_session!;
      const credential = await createPasskey(await post("/session/passkey/new", {}, csrf_token));
      return post("/session/passkeys", { name: deviceName(navigator.userAgent), credential }, csrf_token);
    });

  function proceed(answer: SignInAnswer) {
    if (answer.outcome === "signed_in") signedIn(answer);
    else applySession(answer);
  }

  function send() {
    const { email, password, code, new_password } = given;
    if (step === "password") return post("/session", { email, password }, csrfToken());
    if (step === "new_password") return post("/session/password", { password, new_password }, half_session!.csrf_token);
    return post("/session/code", { code: code.replaceAll(" ", "") }, half_session!.csrf_token);
  }

  function applySession(session: Session | null) {
    if (session?.complete) return signedIn(session);
    setHalf(session);
    halfSignedIn(session);
  }

  async function startOver() {
    setError(null);
    try {
      await endSession();
      applySession(null);
    } catch (caught) {
      setError(caught);
    }
  }

  if (made !== null) return <RecoveryCodes codes={made.codes} onClose={() => proceed(made.answer)} />;
  if (forgotten) return <ForgottenForm email={given.email} onBack={() => setForgotten(false)} />;
  return (
    <form className={styles["form"]} onSubmit={submit}>
      {step === "password" && (
        <>
          <TextField
            label={say("Email")}
            type="email"
            name="email"
            autoComplete="username"
            required
            autoFocus={known === undefined}
            readOnly={known !== undefined}
            value={given.email}
            onChange={(event) => setGiven({ ...given, email: event.target.value })}
          />
          <TextField
            label={say("Password")}
            type="password"
            name="password"
            autoComplete="current-password"
            required
            autoFocus={known !== undefined}
            value={given.password}
            onChange={(event) => setGiven({ ...given, password: event.target.value })}
          />
        </>
      )}
      {step === "set_up" && <SecondFactorSetUp csrf_token={half_session!.csrf_token} />}
      {step === "new_password" && (
        <>
          <p>{say("Someone issued your password. Choose one that only you know.")}</p>
          {!typed_before && (
            <TextField
              label={say("Current password")}
              type="password"
              autoComplete="current-password"
              required
              value={given.password}
              onChange={(event) => setGiven({ ...given, password: event.target.value })}
            />
          )}
          <NewPasswordField
            value={given.new_password}
            onChange={(new_password) => setGiven({ ...given, new_password })}
          />
        </>
      )}
      {(step === "code" || step === "set_up") && (
        <TextField
          label={say("Code")}
          hint={step === "code" ? codeHint(half_session!) : say("The 6-digit code from your authenticator app.")}
          autoComplete="one-time-code"
          pattern={step === "code" ? CODE_PATTERN : "[0-9 ]{6,7}"}
          required
          autoFocus
          value={given.code}
          onChange={(event) => setGiven({ ...given, code: event.target.value })}
        />
      )}
      {error !== null && <Problem error={error} />}
      <Button tone="primary" type="submit" busy={busy}>
        {buttons[step]}
      </Button>
      {step === "password" && canUsePasskeys(passkeys) && (
        <Button icon="key" onClick={usePasskey}>
          {say("Sign in with a passkey")}
        </Button>
      )}
      {step === "code" && half_session!.passkeys > 0 && (
        <Button icon="key" onClick={usePasskey}>
          {say("Use a passkey")}
        </Button>
      )}
      {step === "set_up" && canUsePasskeys(passkeys) && (
        <Button icon="key" onClick={setUpPasskey}>
          {say("Set up a passkey instead")}
        </Button>
      )}
      {step === "password" && mail && (
        <Button tone="quiet" onClick={() => setForgotten(true)}>
          {say("Forgot your password?")}
        </Button>
      )}
      {step === "password" && <SingleSignOn offer={sso} email={given.email} />}
      {step !== "password" && (
        <Button tone="quiet" onClick={startOver}>
          {say("Start over")}
        </Button>
      )}
    </form>
  );
}

const buttons: Record<Step, string> = {
  password: say("Sign in"),
  code: say("Verify code"),
  set_up: say("Verify code"),
  new_password: say("Save password"),
};
