import type { SignedEndpoint } from "@pestle/contract";
import type { ReactNode } from "react";

/** Names the endpoints whose webhooks a secret signs, before a user ends it. `children` says what to do first. */
export function SignedEndpoints({
  endpoints,
  children,
}: {
  endpoints: readonly SignedEndpoint[];
  children: ReactNode;
}) {
  if (endpoints.length === 0) return null;
  return (
    <>
      <p>{children}</p>
      <ul>
        {endpoints.map(({ id, url }) => (
          <li key={id}>
            <code className="anywhere">{url}</code>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The endpoints that the newest of several secrets does not sign yet. */
export const signedByOld = ({
  secrets,
  signs_endpoints,
}: {
  secrets: readonly { secret_id: number }[];
  signs_endpoints: readonly SignedEndpoint[];
}): readonly SignedEndpoint[] => {
  const newest = secrets.at(-1)?.secret_id;
  return secrets.length < 2 ? [] : signs_endpoints.filter(({ secret_id }) => secret_id !== newest);
};
