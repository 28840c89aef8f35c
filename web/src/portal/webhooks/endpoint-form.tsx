import {
  type EventType,
  eventTypeNames,
  eventTypes,
  type PortalCreatedEndpoint,
  type PortalEndpoint,
  type PortalEndpointInput,
  type PortalEndpointUpdate,
} from "@pestle/contract";
import { useState } from "react";
import { ApiError, api, problemOf } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { useApi } from "../../app/use-api.ts";
import { useChange } from "../../app/use-change.ts";
import { CodeText } from "../../ui/code-text.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { CheckField, SelectField, TextField } from "../../ui/controls/field.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { say, sayName } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import styles from "./endpoint-form.module.css";

const fields = ["url", "secret", "signing_credential_id", "description"];

/** Creates an endpoint, or edits `endpoint` if given. */
export function EndpointForm({
  endpoint,
  onClose,
  onCreated,
}: {
  endpoint?: PortalEndpoint;
  onClose: () => void;
  /** Receives the endpoint and its secret, which are shown only once. */
  onCreated?: (created: PortalCreatedEndpoint, secret: string) => void;
}) {
  const { api_base, sandbox } = usePortal();
  const credentials = useApi(`${api_base}/credentials`).data?.credentials ?? [];
  const live = credentials.filter(({ revoked_at }) => revoked_at === null);
  const [url, setUrl] = useState(endpoint?.url ?? "");
  const [secret, setSecret] = useState(endpoint ? "" : randomSecret);
  const [events, setEvents] = useState<readonly EventType[]>(endpoint?.events ?? []);
  const [signer, setSigner] = useState(endpoint?.signing_credential_id ?? "");
  const [description, setDescription] = useState(endpoint?.description ?? "");
  const path = `${api_base}/webhook_endpoints` as const;
  const save = useChange(
    async () => {
      const common = {
        url: url.trim(),
        events: [...events],
        description: description.trim() === "" ? null : description.trim(),
        ...(signer !== "" && signer !== endpoint?.signing_credential_id && { signing_credential_id: signer }),
      };
      if (endpoint === undefined) {
        const { events: chosen, ...rest } = common;
        const body: PortalEndpointInput = { ...rest, secret, ...(chosen.length > 0 && { events: chosen }) };
        return api(path, { method: "POST", body });
      }
      const body: PortalEndpointUpdate = { ...common, ...(secret !== "" && { secret }) };
      await api(`${path}/${endpoint.id}`, { method: "PATCH", body });
      return null;
    },
    {
      ...(endpoint && { done: say("Saved.") }),
      reads: [path, `${api_base}/home`, `${api_base}/credentials`],
      after: (created) => (created ? onCreated?.(created, secret) : onClose()),
    },
  );
  const elsewhere =
    save.error !== null &&
    !(
      save.error instanceof ApiError &&
      save.error.problems.length > 0 &&
      save.error.problems.every(({ field }) => fields.includes(field))
    );
  return (
    <Dialog
      title={endpoint ? say("Edit endpoint") : say("New endpoint")}
      onClose={onClose}
      onSubmit={() => void save.run()}
      wide
      actions={
        <>
          <Button onClick={onClose}>{say("Cancel")}</Button>
          <Button tone="primary" type="submit" busy={save.busy}>
            {endpoint ? say("Save") : say("Create endpoint")}
          </Button>
        </>
      }
    >
      <TextField
        label={say("URL")}
        hint={
          sandbox
            ? say("Signatures cover this exact URL. Sandbox endpoints can be local URLs if the pharmacy allows it.")
            : say("A public HTTPS URL. Signatures cover this exact URL.")
        }
        type="url"
        required
        autoFocus
        placeholder="https://your-service.example/webhooks"
        value={url}
        problem={problemOf(save.error, "url")}
        onChange={(event) => setUrl(event.target.value)}
      />
      <div className={styles["secret"]}>
        <TextField
          label={endpoint ? say("New secret") : say("Secret")}
          hint={
            endpoint
              ? say("Leave empty to keep the current secret.")
              : say("You choose it; the second authenticity header uses it. Save it now: you won't see it again.")
          }
          required={endpoint === undefined}
          maxLength={255}
          spellCheck={false}
          value={secret}
          problem={problemOf(save.error, "secret")}
          onChange={(event) => setSecret(event.target.value)}
        />
        <Button onClick={() => setSecret(randomSecret())}>{say("Generate")}</Button>
      </div>
      <fieldset className={styles["events"]}>
        <legend>{say("Events")}</legend>
        <p className="quiet small">{say("If you choose none, Pestle sends every event that is not opt-in.")}</p>
        {eventTypeNames.map((event_type) => (
          <CheckField
            key={event_type}
            label={
              <>
                <code>{event_type}</code>
                {eventTypes[event_type].opt_in && <span className="quiet"> {say("opt-in")}</span>}
              </>
            }
            hint={<CodeText text={sayName(eventTypes[event_type].sent_when)} />}
            checked={events.includes(event_type)}
            onChange={(event) =>
              setEvents(
                event.target.checked
                  ? eventTypeNames.filter((one) => one === event_type || events.includes(one))
                  : events.filter((one) => one !== event_type),
              )
            }
          />
        ))}
      </fieldset>
      <div className="grid-2">
        <SelectField
          label={say("Signed with")}
          hint={say("The credential whose client secret signs the events.")}
          options={[
            ...(endpoint ? [] : [["", say("Newest active credential")] as const]),
            ...live.map(({ client_id, name }) => [client_id, name] as const),
          ]}
          value={signer}
          problem={problemOf(save.error, "signing_credential_id")}
          onChange={(event) => setSigner(event.target.value)}
        />
        <TextField
          label={say("Description")}
          value={description}
          problem={problemOf(save.error, "description")}
          onChange={(event) => setDescription(event.target.value)}
        />
      </div>
      {elsewhere && <Problem error={save.error} />}
    </Dialog>
  );
}

/** 32 letters and digits. */
function randomSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "p")
    .replaceAll("/", "s");
}
