import "./native-scrolling.ts";
import SwaggerUIBundle, { type Plugin } from "@fastify/swagger-ui/static/swagger-ui-bundle.js";
import "@fastify/swagger-ui/static/swagger-ui.css";
import "../ui/theme.css";
import "./docs.css";
import "./swagger-ui.css";
import { showContents } from "./contents.ts";
import { errorCodesTable } from "./error-codes.ts";
import { nameFields } from "./name-fields.ts";
import type { OpenApiDocument } from "./openapi-document.ts";
import { operationSamples } from "./operation-samples.ts";
import { referenceLayout } from "./reference-layout.ts";
import { sandboxSession } from "./sandbox-session.ts";
import { canTry, shownDocument } from "./shown-document.ts";

const notice = document.getElementById("notice")!;
const reference = document.getElementById("reference")!;

const sandbox = sandboxSession(document.getElementById("try-it")!);

followColorScheme();
start().catch(() => {
  notice.textContent = "Could not load the reference. Reload this page once the service is ready.";
});

async function start() {
  // Before the reference appears, which it would push down.
  void sandbox.look();
  const response = await fetch("/openapi.json");
  if (!response.ok) throw new Error(`openapi.json: HTTP ${response.status}`);
  const openapi = (await response.json()) as OpenApiDocument;

  // Swagger UI reports when it has parsed the document, not when it has rendered it.
  const drawn = new MutationObserver(() => {
    if (!reference.querySelector(".info") || !reference.querySelector(".opblock")) return;
    drawn.disconnect();
    notice.remove();
    showErrorCodes(openapi);
    showContents(reference, document.getElementById("contents")!);
  });
  drawn.observe(reference, { childList: true, subtree: true });

  nameFields(reference);
  SwaggerUIBundle({
    spec: shownDocument(openapi),
    domNode: reference,
    layout: "ReferenceLayout",
    plugins: [referenceLayout, operationSamples(openapi), tryWhatIsInReach(openapi)],
    docExpansion: "list",
    // Null keeps Swagger UI from sending the document to its online validator.
    validatorUrl: null,
    persistAuthorization: false,
    // A code theme with enough contrast.
    syntaxHighlight: { theme: "obsidian" },
    // The page shows no token of a signed-in person.
    showMutatedRequest: false,
    requestInterceptor: async (request) => ({
      ...request,
      headers: {
        ...(await sandbox.authorization(request.headers)),
        ...request.headers,
        // The API requires this Accept header, and Swagger UI does not always send it.
        accept: "application/json",
      },
    }),
    responseInterceptor: (response) => {
      if (response.status === 401) sandbox.drop();
      return response;
    },
  });
}

function showErrorCodes(openapi: OpenApiDocument) {
  const codes = openapi.components?.schemas?.ErrorCode?.["x-error-codes"] ?? [];
  const section = document.getElementById("error-codes")!;
  section.append(errorCodesTable(codes));
  section.hidden = codes.length === 0;
}

function tryWhatIsInReach(openapi: OpenApiDocument): Plugin {
  const allowTryItOutFor = () => (_state: unknown, path: string) => canTry(openapi, path);
  return () => ({ statePlugins: { spec: { wrapSelectors: { allowTryItOutFor } } } });
}

// Swagger UI has a dark mode but leaves switching to the page.
function followColorScheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", apply);
  apply();
}
