import { Copyable } from "../ui/controls/copyable.tsx";
import type { Welcome } from "./use-welcome.ts";

type AddressName = "base_url" | "auth_url" | "sandbox_auth_url";

const addresses: { name: AddressName; title: string; label: string }[] = [
  { name: "base_url", title: "Partner API", label: "the partner API address" },
  { name: "auth_url", title: "Token server, production", label: "the production token server address" },
  { name: "sandbox_auth_url", title: "Token server, sandbox", label: "the sandbox token server address" },
];

export function Addresses({ welcome }: { welcome: Welcome }) {
  return (
    <dl className="addresses">
      {addresses.map(({ name, title, label }) => (
        <div key={name}>
          <dt>{title}</dt>
          <dd>
            <Copyable text={welcome[name]} label={label} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
