import type { ParametersProps, Plugin } from "@fastify/swagger-ui/static/swagger-ui-bundle.js";
import type { OpenApiDocument } from "./openapi-document.ts";

/** Puts code samples above the parameters of each open operation. Their code loads with the first one. */
export const operationSamples =
  (openapi: OpenApiDocument): Plugin =>
  ({ React: { createElement } }) => ({
    wrapComponents: {
      parameters: (Parameters) => (props: ParametersProps) => {
        const [path, method] = props.pathMethod;
        const ref = (place: HTMLElement | null) => void (place && fill(place, openapi, path, method));
        return createElement(
          "div",
          null,
          createElement("div", { className: "samples", ref }),
          createElement(Parameters, props),
        );
      },
    },
  });

async function fill(place: HTMLElement, openapi: OpenApiDocument, path: string, method: string): Promise<void> {
  // Swagger UI renders an operation again with every key press in its fields.
  if (place.dataset["of"] !== undefined) return;
  place.dataset["of"] = `${method} ${path}`;
  try {
    const [{ describedCall }, { showSamples }] = await Promise.all([
      import("./samples/described-call.ts"),
      import("./samples/show-samples.ts"),
    ]);
    const call = describedCall(openapi, path, method);
    if (call !== undefined) showSamples(place, call);
  } catch {
    // The code did not load. The reference works without it, and the next rendering tries again.
    delete place.dataset["of"];
  }
}
