import { useState } from "react";
import { Copyable } from "../ui/controls/copyable.tsx";
import { type Environment, firstCallCommands } from "./first-call-commands.ts";
import type { Welcome } from "./use-welcome.ts";

const environments: { value: Environment; label: string }[] = [
  { value: "sandbox", label: "Sandbox" },
  { value: "production", label: "Production" },
];

export function FirstCall({ welcome }: { welcome: Welcome }) {
  const [environment, setEnvironment] = useState<Environment>("sandbox");
  const commands = firstCallCommands(welcome, environment);

  return (
    <>
      <fieldset className="choice">
        <legend>Credentials for</legend>
        {environments.map(({ value, label }) => (
          <label key={value}>
            <input
              type="radio"
              name="environment"
              checked={environment === value}
              onChange={() => setEnvironment(value)}
            />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
      <ol className="steps">
        <li>
          <h3>Get a token</h3>
          <p className="hint">{welcome.demo ? <DemoHint environment={environment} /> : <OperatorHint />}</p>
          <Copyable block text={commands.token} label="the token command" />
        </li>
        <li>
          <h3>List the shipping methods</h3>
          <Copyable block text={commands.shipping_methods} label="the shipping methods command" />
        </li>
      </ol>
    </>
  );
}

function DemoHint({ environment }: { environment: Environment }) {
  return (
    <>
      Demo credentials: <code>npm start</code> printed them on its first run and keeps them in <code>demo.json</code> in
      the data folder (<code>.data</code> unless you set <code>DATA_DIR</code>). Use a partner whose{" "}
      <code>environment</code> is <code>{environment}</code>.
    </>
  );
}

function OperatorHint() {
  return <>Use the client ID and client secret from your Pestle operator.</>;
}
