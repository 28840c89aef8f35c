import mark from "../ui/mark.svg";
import { Addresses } from "./addresses.tsx";
import { FirstCall } from "./first-call.tsx";
import { ServiceStatus } from "./service-status.tsx";
import { useServiceState } from "./use-service-state.ts";
import { useWelcome, type WelcomeRequest } from "./use-welcome.ts";
import "./welcome.css";

const links: { href: string; title: string; about: string }[] = [
  { href: "/portal", title: "Partner portal", about: "Credentials, webhooks, orders, sandbox" },
  { href: "/dashboard", title: "Dashboard", about: "The pharmacy's work queues" },
  { href: "/docs", title: "Documentation", about: "Quick start, guides, errors and holds" },
  { href: "/docs/api", title: "API reference", about: "Every operation, field and webhook" },
  { href: "/openapi.json", title: "openapi.json", about: "The API reference for tools" },
  { href: "/healthz", title: "Health", about: "For load balancers and monitors" },
];

export function WelcomePage() {
  const { state, checkedAt } = useServiceState();
  const { request, retry } = useWelcome(state === "ready");

  return (
    <div className="page">
      <header className="masthead">
        <img src={mark} alt="" width="44" height="44" />
        <div>
          <h1>Pestle</h1>
          <p>Pharmacy as a service: it receives prescriptions, takes orders, ships them and reports each step.</p>
        </div>
      </header>
      <main>
        <ServiceStatus state={state} checkedAt={checkedAt} />
        <div className="columns">
          <div className="column">
            <section aria-labelledby="addresses-title">
              <h2 id="addresses-title">Addresses</h2>
              {request.phase === "loaded" ? (
                <Addresses welcome={request.welcome} />
              ) : (
                <NotLoaded phase={request.phase} retry={retry} />
              )}
            </section>
            <nav aria-labelledby="links-title">
              <h2 id="links-title">Links</h2>
              <ul className="links">
                {links.map(({ href, title, about }) => (
                  <li key={href}>
                    <a href={href}>{title}</a> <span>{about}</span>
                  </li>
                ))}
              </ul>
            </nav>
          </div>
          <section className="column" aria-labelledby="first-call-title">
            <h2 id="first-call-title">First call</h2>
            {request.phase === "loaded" ? (
              <FirstCall welcome={request.welcome} />
            ) : (
              <p className="hint">The commands appear here once the addresses load.</p>
            )}
          </section>
        </div>
      </main>
      <footer>{request.phase === "loaded" && <Edition {...request.welcome} />}</footer>
    </div>
  );
}

function NotLoaded({ phase, retry }: { phase: Exclude<WelcomeRequest["phase"], "loaded">; retry: () => void }) {
  if (phase === "loading") return <p className="hint">Loading addresses…</p>;
  return (
    <div role="alert" className="failed">
      <p>Could not load the addresses. They appear automatically once the service is ready.</p>
      <button type="button" onClick={retry}>
        Try again
      </button>
    </div>
  );
}

function Edition({ version, operator_name }: { version: string; operator_name: string }) {
  return (
    <p>
      Version {version} <span aria-hidden="true">·</span> operated by {operator_name}
    </p>
  );
}
